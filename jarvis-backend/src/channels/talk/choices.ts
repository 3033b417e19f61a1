import { createHash, randomBytes } from 'node:crypto'
import type { Choice } from '../channel.ts'
import type { OutboxItem } from '../ports.ts'
import type { Tell } from '../spoken.ts'
import { attemptOf } from '../taps.ts'
import type { ChoiceStore, Deed, StoredChoice } from './ports.ts'

const form = /^c1\.[\w-]{22}$/
const keptAfterMs = 24 * 60 * 60_000
const mostLabel = 60

export const hashOfChoice = (token: string) => createHash('sha256').update(token).digest('base64url')
/** Returns true if a token belongs to a button of a conversation. */
export const isChoice = (token: string): boolean => form.test(token)

/** A button that a message offers. `deed`: the action of the button. */
export type Offer = { label: string; deed: Deed }

/** Makes the buttons of one attempt, each usable once, and stores the hashes of their tokens. Call it in a transaction. */
export function makeChoices(
  { choices, tell }: { choices: Pick<ChoiceStore, 'add'>; tell: Tell },
  { item, thread }: { item: Pick<OutboxItem, 'id' | 'attempts' | 'recipient' | 'expiresAt'>; thread: string },
  offers: readonly Offer[],
): Choice[] {
  return offers.map(({ label, deed }) => {
    const token = `c1.${randomBytes(16).toString('base64url')}`
    choices.add({
      hash: hashOfChoice(token),
      recipient: item.recipient,
      thread,
      item: attemptOf(item),
      deed,
      expiresAt: item.expiresAt + keptAfterMs,
    })
    const line = [...label.replace(/\s+/g, ' ').trim()]
    const shown = line.length <= mostLabel ? line.join('') : `${line.slice(0, mostLabel - 1).join('')}…`
    return { label: tell(shown === '' ? '–' : shown), token }
  })
}

/**
 * Returns true if a button may still act: it belongs to the person, is on its own message, and was not used. @param ref the message on which it was
 * pressed
 */
export const isOpen = (
  choice: StoredChoice | undefined,
  { recipient, ref, now }: { recipient: string; ref: string | undefined; now: number },
): choice is StoredChoice =>
  choice !== undefined &&
  choice.recipient === recipient &&
  choice.usedAt === undefined &&
  choice.expiresAt > now &&
  (choice.ref === undefined || choice.ref === ref)
