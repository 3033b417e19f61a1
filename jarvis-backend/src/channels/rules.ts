import type { ChannelRules } from 'protocol'
import { timeWithZone } from '../lib/time-of-day.ts'
import type { Level } from './channel.ts'
import type { Recipient } from './ports.ts'

/** The kind of matter that a message is about. */
export type MatterKind = ChannelRules['routes'][number]['kinds'][number]
/** A matter and its importance. `isAsked`: a person asked for it and waits. */
export type Matter = { kind: MatterKind; level: Level; isAsked?: boolean }

/** The decision whether a message may be sent: `now`, `later`, `held` for a digest, or `never`. `why`: the reason. `until`: Unix ms. */
export type Disturbs =
  | { kind: 'now'; why?: string }
  | { kind: 'later'; until: number; why: string }
  | { kind: 'held'; until: number; why: string }
  | { kind: 'never'; why: string }

const weight: Record<Level, number> = { info: 0, warning: 1, failed: 2, card: 2 }
/**
 * The matters that groups are notified of: events in the homelab. Groups are not notified of matters that wait for a person or belong to a person.
 */
const groupMatters: ReadonlySet<MatterKind> = new Set<MatterKind>(['alert', 'job'])
const minutesOf = (time: string) => {
  const [hour = 0, minute = 0] = time.split(':').map(Number)
  return hour * 60 + minute
}

/**
 * The end of daily hours such as `23:00-07:00`, by this machine's local time, Unix ms; undefined if the instant is not within these hours. @param at
 * the instant, Unix ms
 */
export function hoursEnd(hours: string, at: number): number | undefined {
  const [from = 0, until = 0] = hours.split('-').map(minutesOf)
  const date = new Date(at)
  const now = date.getHours() * 60 + date.getMinutes()
  const isIn = from <= until ? now >= from && now < until : now >= from || now < until
  if (!isIn) return undefined
  const end = new Date(at)
  end.setHours(Math.floor(until / 60), until % 60, 0, 0)
  if (end.getTime() <= at) end.setDate(end.getDate() + 1)
  return end.getTime()
}

/** The rules, and the instant for which they are evaluated, Unix ms. */
export type RulesAt = { rules: ChannelRules; at: number }

/**
 * Returns true if a route of the recipient lets the matter through. A channel without routes lets everything through except the results of
 * successful jobs, which most people do not want.
 */
function isRouted({ kind, level }: Matter, recipient: Recipient, { rules: { routes }, at }: RulesAt): boolean {
  const { channel, person, isGroup, id } = recipient
  if (isGroup && !groupMatters.has(kind)) return false
  const who = isGroup ? id : person
  const own = routes.filter((route) => route.channel === channel && (route.person ?? who) === who)
  if (own.length === 0) return kind !== 'job' || level !== 'info'
  return own.some(
    ({ kinds, least, hours }) =>
      (kinds.length === 0 || kinds.includes(kind)) &&
      weight[level] >= weight[least] &&
      (hours === undefined || hoursEnd(hours, at) !== undefined),
  )
}

/** Decides whether and when one recipient is notified of a matter. Called before a message is put into the outbox. */
export function mayDisturb(matter: Matter, recipient: Recipient, { rules, at }: RulesAt): Disturbs {
  if (!isRouted(matter, recipient, { rules, at })) return { kind: 'never', why: 'no route leads there' }
  const waitS =
    matter.kind === 'card'
      ? Math.max(...[recipient.channel, recipient.person].map((of) => rules.escalation[of] ?? 0))
      : 0
  const soonest = at + waitS * 1_000
  const quietEnd = rules.quiet === undefined ? undefined : hoursEnd(rules.quiet, soonest)
  if (quietEnd !== undefined) {
    const why = `quiet hours until ${timeWithZone(quietEnd)}`
    if (matter.level === 'card')
      return matter.isAsked === true ? later(waitS, soonest, 'a person asked') : { kind: 'later', until: quietEnd, why }
    if (matter.level !== 'failed') return { kind: 'held', until: quietEnd, why }
    return { kind: 'now', why: 'passed quiet hours: something failed' }
  }
  return later(waitS, soonest)
}

const later = (waitS: number, until: number, passed?: string): Disturbs =>
  waitS === 0
    ? { kind: 'now', ...(passed !== undefined && { why: `passed quiet hours: ${passed}` }) }
    : { kind: 'later', until, why: `nobody answered for ${waitS} s` }
