import type { ChannelDelivery, ChannelInfo, Decides } from 'jarvis-backend/protocol'
import type { MarkKind } from '../../../ui/mark.tsx'

export const rights: readonly [Decides, string][] = [
  ['none', 'Tell'],
  ['deny', 'Deny'],
  ['approve', 'Approve'],
]
const rank = (decides: Decides) => rights.findIndex(([one]) => one === decides)
export const mayOf = (decides: Decides) => rights[rank(decides)]?.[1] ?? 'Tell'
export const isWithin = (decides: Decides, most: Decides) => rank(decides) <= rank(most)
export const atMostOf = ({ atMost }: Pick<ChannelInfo, 'atMost'>) =>
  atMost === 'none' ? 'only Tell' : `up to ${mayOf(atMost)}`

/** What a channel may do now: the most that one of its recipients may. */
export const mayNow = ({ recipients }: Pick<ChannelInfo, 'recipients'>) =>
  mayOf(recipients.reduce<Decides>((most, { decides }) => (isWithin(decides, most) ? most : decides), 'none'))

/** A channel's second line: where it goes and whom it reaches, or what is wrong. */
export function lineOf({ state, problem, place, recipients, pairs, waiting }: ChannelInfo): string {
  if (state === 'off') return 'not set up'
  const names = pairs
    ? recipients.length === 0
      ? 'nobody is paired'
      : recipients.map(({ personName }) => personName).join(', ')
    : ''
  const hidden = recipients.length > 0 && recipients.every(({ hidesNames }) => hidesNames) ? 'names hidden' : ''
  const late = waiting === 0 ? '' : `${waiting} waiting`
  return [place, names, hidden, late, problem].filter((part) => part !== undefined && part !== '').join(' · ')
}

export const markOf = ({ state, problem }: Pick<ChannelInfo, 'state' | 'problem'>): MarkKind =>
  state === 'off' ? 'stopped' : state === 'broken' ? 'bad' : problem === undefined ? 'ok' : 'warn'

const marks: Record<ChannelDelivery['state'], MarkKind> = {
  ...{ waiting: 'unknown', sending: 'unknown', sent: 'ok', held: 'none', dropped: 'none', failed: 'bad' },
}
export const deliveryMark = ({ state }: Pick<ChannelDelivery, 'state'>) => marks[state]

const ends: Record<ChannelDelivery['state'], string> = {
  ...{
    waiting: 'waits',
    sending: 'is being sent',
    sent: 'delivered',
    held: 'held',
    dropped: 'not sent',
    failed: 'failed',
  },
}

/** What became of a message: `delivered in 0.4 s`, `held: quiet hours`, `3 tries, it answered 503`. */
export function endOf({ state, act, at, endedAt, attempts, why }: ChannelDelivery): string {
  const took =
    state === 'sent' && endedAt !== undefined && attempts === 1 ? ` in ${((endedAt - at) / 1_000).toFixed(1)} s` : ''
  const word = act === 'revise' && state === 'sent' ? 'edited after the decision' : `${ends[state]}${took}`
  const tries = attempts > 1 ? `${attempts} tries, ` : ''
  return `${tries}${word}${why === undefined ? '' : `: ${why}`}`
}
