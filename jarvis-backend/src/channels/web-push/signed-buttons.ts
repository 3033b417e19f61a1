import { randomBytes } from 'node:crypto'
import { type Card, JarvisError, type PushButtons, type PushDecideBody } from 'protocol'
import { cardAsSigned, cardHash, challengeOf, type Statement, statementText } from '../../signing/decision.ts'
import { isDeviceKey } from '../../signing/device-signature.ts'
import type { ChallengeStore, SignerKeyStore } from '../../signing/ports.ts'
import { type Receipt, receiptProblem } from '../../signing/receipt.ts'
import type { Signers } from '../../signing/signers.ts'
import { isLight } from '../cards.ts'
import type { Decides } from '../channel.ts'

/** A change of a device's key, for the journal. */
export type DeviceKeyChange = { person: string; id: string; name: string } & (
  | { change: 'added'; key: string; origin: string }
  | { change: 'removed' }
)
type KnownCard = { card: Card; bindingHash: string; isDecided: boolean }

export type SignedButtons = {
  /** Keeps the key of a person's device in place of an earlier one; undefined: it has none. @throws JarvisError `invalid_request` */
  keep(device: { id: string; person: string; label: string }, key: string | undefined): void
  forget(device: string): void
  /** The data with which a device can decide a card once; undefined: its notification only opens the page. */
  of(toolUseId: string, device: string): PushButtons | undefined
  /** Decides a card as a button was pressed. @throws JarvisError `proof_refused`, or as deciding */
  press(pressed: PushDecideBody): Promise<void>
}

/** Lets the buttons of a notification decide light cards, signed with the key of the device. */
export function createSignedButtons(parts: {
  keys: SignerKeyStore
  signers: Signers
  challenges: ChallengeStore
  cardOf(toolUseId: string): KnownCard | undefined
  /** The most that a press on a device may do. */
  decidesOn(device: string): Decides
  mayDecide(person: string): boolean
  decide(request: { toolUseId: string; confirmed: boolean; by: string; receipt: Receipt }): void | Promise<void>
  durably<T>(work: () => T): T
  /** Writes to the journal, in the transaction of the change. */
  record(change: DeviceKeyChange): void
  /** The address that stands in what is signed. */
  origin: string
  head(): { seq: number; hash: string }
  now(): number
}): SignedButtons {
  const { keys, challenges, origin, now } = parts

  const keyOf = (device: string) => {
    const key = keys.get(device)
    return key?.type === 'device' ? key : undefined
  }
  const forget = (device: string) =>
    parts.durably(() => {
      const known = keyOf(device)
      if (known === undefined) return
      keys.remove(device)
      parts.record({ change: 'removed', person: known.person, id: device, name: known.name })
    })

  return {
    keep({ id, person, label: name }, key) {
      if (keyOf(id)?.key === key) return
      if (key !== undefined && !isDeviceKey(key))
        throw new JarvisError('invalid_request', 'key: it is no key on P-256.')
      parts.durably(() => {
        forget(id)
        if (key === undefined) return
        keys.add({ type: 'device', id, person, name, key, createdAt: now() })
        parts.record({ change: 'added', person, id, name, key, origin })
      })
    },
    forget,
    of(toolUseId, device) {
      const key = keyOf(device)
      const known = parts.cardOf(toolUseId)
      if (key === undefined || known === undefined || !isLight(known.card) || !parts.mayDecide(key.person))
        return undefined
      const { card } = known
      const { expiresAt } = card
      const statement: Statement = {
        toolUseId,
        bindingHash: known.bindingHash,
        cardHash: cardHash(card),
        decision: 'approved',
        person: key.person,
        origin,
        nonce: randomBytes(32).toString('base64url'),
        head: parts.head(),
        expiresAt,
      }
      const text = statementText(statement)
      const id = challengeOf(text)
      challenges.add({ id, toolUseId, person: key.person, statement: text, expiresAt })
      const [before = '', after = ''] = text.split(approved)
      return { device, challenge: id, before, after }
    },
    async press({ device, challenge, decision, signature }) {
      const key = keyOf(device)
      const row = challenges.get(challenge)
      if (key === undefined || row?.person !== key.person) throw refused('This device decides nothing.')
      if (row.usedAt !== undefined) throw refused('It was used before.')
      if (row.expiresAt <= now()) throw refused('It came too late.')
      const { person } = key
      const decides = parts.decidesOn(device)
      if (decides === 'none' || (decides === 'deny' && decision === 'approved'))
        throw refused('This device may not decide so.')
      const known = parts.cardOf(row.toolUseId)
      if (known === undefined || known.isDecided) throw refused('The card was decided before.')
      const { card, bindingHash } = known
      if (!isLight(card)) throw refused('The card is too heavy for a button: open it.')
      if (!parts.mayDecide(person)) throw refused('You may decide nothing.')
      const statement = row.statement.replace(approved, JSON.stringify(decision))
      const receipt: Receipt = {
        type: 'device',
        id: device,
        key: key.key,
        statement,
        card: cardAsSigned(card),
        signature,
      }
      const why =
        (parts.signers.find('device', device, person)?.key === key.key ? undefined : 'Its key is not enrolled.') ??
        (challengeOf(row.statement) === challenge ? undefined : 'The stored challenge was changed.') ??
        receiptProblem(receipt, {
          toolUseId: card.toolUseId,
          bindingHash,
          cardHash: cardHash(card),
          person,
          decision,
        })
      if (why !== undefined) throw refused(why)
      await parts.decide({ toolUseId: card.toolUseId, confirmed: decision === 'approved', by: person, receipt })
    },
  }
}

/** Where the decision stands in a canonical statement; no other value of one is so. */
const approved = '"approved"'
const refused = (why: string) =>
  new JarvisError('proof_refused', `The button decided nothing. ${why} Open JARVIS to decide.`)
