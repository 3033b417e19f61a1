import type { Card } from 'protocol'
import { isFinal } from 'protocol/facts'
import { named } from 'redaction/visible'
import { timeWithZone } from '../lib/time-of-day.ts'
import { cardQuestion } from './card-question.ts'
import type { CardOf, Content, Recipient } from './ports.ts'
import type { Say, Spoken } from './spoken.ts'

const mostLabel = 60

/**
 * Returns true if a button in a notification may approve the card: a clean start, stop or restart of one guest of known state, with no other
 * effects, one reason, and no tainted text. Every other card must be opened before it is approved.
 */
export function isLight(card: Card): boolean {
  const { effect, target, affects } = card
  return (
    effect?.kind === 'power' &&
    effect.action !== undefined &&
    effect.isForced !== true &&
    target.kind === 'guest' &&
    affects.startsWith('Nothing else found') &&
    card.reasons === undefined &&
    card.rule !== 'taint' &&
    target.vmid !== undefined &&
    target.status !== 'unknown' &&
    card.proof === undefined &&
    card.approvals === undefined &&
    card.plan === undefined &&
    card.later === undefined &&
    card.isAfterAnother === undefined &&
    card.changed === undefined
  )
}

const dayMs = 24 * 60 * 60_000

/** The time that a card waits, in words: one day until somebody has seen the card, then the minutes that the policy sets. */
export const untilOf = ({ createdAt, expiresAt }: Pick<Card, 'createdAt' | 'expiresAt'>): string =>
  expiresAt - createdAt < dayMs
    ? `It waits until ${timeWithZone(expiresAt)}.`
    : 'It waits for a day, and for minutes once somebody has seen it.'

/** The path of a card's page in the dashboard. */
export const pathOf = (toolUseId: string): string => `/waiting?card=${encodeURIComponent(toolUseId)}`

/**
 * Makes the content of a card's message: the question, the consequence, and the time that the card waits. The message never holds arguments, notes,
 * addresses or a model's text.
 */
export function cardContent(
  { card, bindingHash }: { card: Card; bindingHash: string },
  { decides, hidesNames }: Pick<Recipient, 'decides' | 'hidesNames'>,
  say: Say,
): Content {
  const light = isLight(card)
  const until = say(untilOf(card))
  const base = {
    ...({ kind: 'card', level: 'card' } as const),
    path: pathOf(card.toolUseId),
    tag: card.toolUseId,
  }
  const of = { toolUseId: card.toolUseId, bindingHash }
  if (hidesNames) {
    const deny = decides === 'none' ? {} : { deny: say('Do not run it') }
    return { ...base, title: say('A call waits for you.'), lines: [until], card: { ...of, ...deny } }
  }
  const question = cardQuestion(card)
  const lines = [
    ...(light ? [say(`Then: ${card.then}.`)] : [say('Too heavy for a tap: look at the card.')]),
    ...(isFinal(card.undo) ? [say('It cannot be undone.')] : []),
    until,
  ]
  return {
    ...base,
    title: say(`${question.charAt(0).toUpperCase()}${question.slice(1)}`),
    lines,
    card: { ...of, ...labels(card, decides, say) },
  }
}

/** Makes the labels of the buttons. A label names what the button does; the denial comes first. */
function labels(card: Card, decides: Recipient['decides'], say: Say): Pick<CardOf, 'deny' | 'approve'> {
  if (decides === 'none') return {}
  const { effect, target } = card
  if (!isLight(card) || effect?.action === undefined) return { deny: say('Do not run it') }
  const deed = `${effect.action} ${target.vmid}${target.name === undefined ? '' : ` ${named(target.name)}`}`
  const deny = say(`Do not ${deed}`, mostLabel)
  if (decides === 'deny') return { deny }
  return { deny, approve: say(`${deed.charAt(0).toUpperCase()}${deed.slice(1)}`, mostLabel) }
}

/** The outcome of a card. `via`: the channel that the decision came through; absent: the dashboard. */
export type Ending = { decision: 'approved' | 'denied' | 'expired' | 'cancelled'; by: string; via?: string; at: number }

const verbs = { approved: 'Approved', denied: 'Denied', expired: 'Expired', cancelled: 'Withdrawn' } as const

/** Makes the content that replaces a decided card: who decided, through which channel, and when. */
export function endedContent(
  { card: _, ...content }: Content,
  { decision, by, via, at, hidesNames }: Ending & Pick<Recipient, 'hidesNames'>,
  say: Say,
): Content {
  const who = decision === 'expired' || decision === 'cancelled' || hidesNames ? '' : ` by ${by}`
  const where = decision === 'approved' || decision === 'denied' ? `, ${via ?? 'dashboard'}` : ''
  const line: Spoken = say(`${verbs[decision]}${who}${where}, ${timeWithZone(at)}.`)
  return { ...content, lines: [line], isOver: true }
}
