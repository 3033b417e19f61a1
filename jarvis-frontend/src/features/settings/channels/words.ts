import type { ChannelDelivery, ChannelInfo, ChannelRules, Decides } from 'protocol'
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

/** The most far-reaching right to decide that any recipient of a channel has now. */
export const mayNow = ({ recipients }: Pick<ChannelInfo, 'recipients'>) =>
  mayOf(recipients.reduce<Decides>((most, { decides }) => (isWithin(decides, most) ? most : decides), 'none'))

/** The second line of a channel: its place and the people it reaches, or what is wrong. */
export function lineOf({ state, problem, place, recipients, pairs, subscribes, waiting }: ChannelInfo): string {
  if (state === 'off') return 'not set up'
  const nobody = subscribes ? 'no browser yet' : 'nobody is paired'
  const people = [...new Set(recipients.map(({ isGroup, name, personName }) => (isGroup ? name : personName)))].join(
    ', ',
  )
  const names = pairs || subscribes ? people || nobody : ''
  const hidden = recipients.length > 0 && recipients.every(({ hidesNames }) => hidesNames) ? 'names hidden' : ''
  const late = waiting === 0 ? '' : `${waiting} waiting`
  return [place, names, hidden, late, problem].filter((part) => part !== undefined && part !== '').join(' · ')
}

export const markOf = ({
  state,
  problem,
  subscribes,
  recipients,
}: Pick<ChannelInfo, 'state' | 'problem' | 'subscribes' | 'recipients'>): MarkKind =>
  state === 'off' || (subscribes && recipients.length === 0)
    ? 'stopped'
    : state === 'broken'
      ? 'bad'
      : problem === undefined
        ? 'ok'
        : 'warn'

const marks: Record<ChannelDelivery['state'], MarkKind> = {
  waiting: 'unknown',
  sending: 'unknown',
  sent: 'ok',
  held: 'none',
  dropped: 'none',
  failed: 'bad',
}
export const deliveryMark = ({ state }: Pick<ChannelDelivery, 'state'>) => marks[state]

const ends: Record<ChannelDelivery['state'], string> = {
  waiting: 'waits',
  sending: 'is being sent',
  sent: 'delivered',
  held: 'held',
  dropped: 'not sent',
  failed: 'failed',
}

/** The end of a message: `delivered in 0.4 s`, `held: quiet hours`, `3 tries, it answered 503`. */
export function endOf({ state, act, at, endedAt, attempts, why }: ChannelDelivery): string {
  const took =
    state === 'sent' && endedAt !== undefined && attempts === 1 ? ` in ${((endedAt - at) / 1_000).toFixed(1)} s` : ''
  const changed =
    state === 'sent'
      ? { deliver: undefined, revise: 'edited after the decision', withdraw: 'taken back' }[act]
      : undefined
  const word = changed ?? `${ends[state]}${took}`
  const tries = attempts > 1 ? `${attempts} tries, ` : ''
  return `${tries}${word}${why === undefined ? '' : `: ${why}`}`
}

export type Route = ChannelRules['routes'][number]
export const hoursPattern = '([01]\\d|2[0-3]):[0-5]\\d-([01]\\d|2[0-3]):[0-5]\\d'

/** Kinds of messages in words. */
export const matters: readonly [Route['kinds'][number], string][] = [
  ['card', 'waiting cards'],
  ['question', 'questions'],
  ['alert', 'alerts'],
  ['change', 'changes that go back soon'],
  ['job', 'jobs that ended'],
  ['sign-in', 'sign-ins on new devices'],
  ['share', 'conversations shared with you'],
  ['observed', 'calls that the policy watches'],
  ['glass', 'decisions that an owner made alone'],
]
/** The minimum severity of a message that a route sends, in words. */
export const leasts: readonly [Route['least'], string][] = [
  ['info', 'everything'],
  ['warning', 'warnings'],
  ['failed', 'what failed, and cards'],
]

type Reached = Pick<ChannelInfo, 'recipients'>
const eachOnce = (named: readonly (readonly [string, string])[]): [string, string][] => [...new Map(named)]

/** Id and name of each person whom the channels reach, without duplicates. */
export const peopleOf = (channels: readonly Reached[]): [string, string][] =>
  eachOnce(
    channels.flatMap(({ recipients }) =>
      recipients.filter(({ isGroup }) => !isGroup).map((one) => [one.person, one.personName] as const),
    ),
  )
/** Id and name of the people and groups that the channels reach. A group's id is the id of its recipient. */
export const hearersOf = (channels: readonly Reached[]): [string, string][] => [
  ...peopleOf(channels),
  ...channels.flatMap(({ recipients }) =>
    recipients.filter(({ isGroup }) => isGroup).map(({ id, name }): [string, string] => [id, name]),
  ),
]

/** A route in one line: `ntfy: alerts, jobs that ended; at least warnings; 08:00-22:00; for Mira`. */
export function routeWords(
  { channel, person, kinds, least, hours }: Route,
  channels: readonly Pick<ChannelInfo, 'id' | 'name' | 'recipients'>[],
): string {
  const name = channels.find(({ id }) => id === channel)?.name ?? channel
  const about = kinds.length === 0 ? 'everything' : kinds.map((kind) => new Map(matters).get(kind) ?? kind).join(', ')
  const who = person === undefined ? undefined : new Map(hearersOf(channels)).get(person)
  const weight = least === 'info' ? undefined : `at least ${new Map(leasts).get(least)}`
  const whose = person === undefined ? undefined : `for ${who ?? `${person}, who is not reached there`}`
  return `${name}: ${[about, weight, hours, whose].filter((part) => part !== undefined).join('; ')}`
}
