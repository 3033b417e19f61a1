import type { Alert, ClusterState, Guest, Limits, Node, SampleField, Storage } from 'protocol'
import type { Tone } from 'protocol/facts'
import * as facts from 'protocol/facts'
import { needsLook } from '../../api/alerts.ts'
import { limits } from '../../api/limits.ts'
import { plural, span, timeOfDay } from '../../lib/format.ts'
import type { MarkKind } from '../../ui/mark.tsx'
import { unreadLines } from './unknown.ts'

export const limitsNow = (): Limits => limits.value.get() ?? facts.usualLimits

export const temperatureTone = (node: Node): Tone => facts.temperatureTone(node, limitsNow())
/** The share of a node's memory that is in use and cannot be reclaimed, 0..1. */
export const nodeRam = (node: Node) => facts.shareOf(facts.heldRam(node), node.ramTotalBytes)
export const nodeRamTone = (node: Node): Tone => facts.nodeRamTone(node, limitsNow())
export const storageTone = (storage: Storage): Tone => facts.storageTone(storage, limitsNow())
/** Returns the tone of a guest's backup. A running guest needs a backup. A stopped guest needs a fresh one only if it already has a backup. */
export function backupTone({ backupAt, status }: Pick<Guest, 'backupAt' | 'status'>, now: number): Tone {
  // A backup that could not be read has its own line.
  if (backupAt === null) return undefined
  if (backupAt === undefined) return status === 'running' ? 'warn' : undefined
  return facts.backupAgeTone(backupAt, now, limitsNow())
}

/** Sums up backups. Guests that run or have a backup are expected to have a fresh one. */
export function backupsOf(guests: readonly Guest[], now: number) {
  const expected = guests.filter((guest) => guest.status === 'running' || typeof guest.backupAt === 'number')
  const stale = expected.filter((guest) => backupTone(guest, now) !== undefined)
  const unknown = expected.filter(({ backupAt }) => backupAt === null).length
  const ages = expected.flatMap(({ backupAt }) => (typeof backupAt === 'number' ? [now - backupAt] : []))
  return { expected: expected.length, stale, unknown, oldestMs: ages.length === 0 ? undefined : Math.max(...ages) }
}

/** The age in words that all stale backups share; undefined if the ages differ or a guest has no backup. */
export function sharedAge(stale: readonly Guest[], now: number): string | undefined {
  const ages = new Set(stale.map(({ backupAt }) => (typeof backupAt === 'number' ? span(now - backupAt) : undefined)))
  return ages.size === 1 ? [...ages][0] : undefined
}

/** An issue that a person should look at: an alert that nobody acknowledged, or something that could not be read. `key`: the alert's id. */
export type Issue = {
  key: string
  tone: 'warn' | 'bad'
  fact: string
  detail: string
  /** A question about the issue that the person can send to JARVIS. */
  question: string
  /** Start of the issue, Unix ms. */
  since?: number
  /** True if the issue is that something could not be read. */
  isUnknown?: boolean
  /** The check, if the issue is an alert. */
  check?: string
  node?: string
  vmid?: number
  /** The measured value that crossed its limit, with the names under which its samples are stored. */
  past?: { series: string; field: SampleField; limit: number }
}

/** Issues that need a look now, worst first. @param alerts undefined: not read yet */
export function issuesOf(state: ClusterState, alerts: readonly Alert[] | undefined): Issue[] {
  const unknown = unknownIssues(state)
  if (facts.isBlind(state)) return unknown
  const said = state.unreachableSince === undefined ? undefined : 'cluster-away'
  const found = (alerts ?? []).filter((alert) => needsLook(alert) && alert.check !== said).map(issueOf)
  // The most severe first; among equals, issues with a measured value first.
  const rank = ({ tone, past, check }: Issue) =>
    (tone === 'bad' ? 2 : 0) + (past !== undefined || check === undefined ? 1 : 0)
  return [...unknown, ...found].sort((a, b) => rank(b) - rank(a))
}

function issueOf({ id, check, object, severity, state, sentence, limit = '', hides, chart, since, ...alert }: Alert) {
  const detail = [
    state === 'held' ? `held: not seen since ${timeOfDay(alert.notSeenSince ?? since)}` : limit.replace(/[,.].*/s, ''),
    hides === undefined ? '' : `hides ${hides}`,
  ]
  const issue: Issue = {
    key: id,
    check,
    since,
    fact: sentence.replace(/\.$/, ''),
    question: `${sentence} Why?`,
    tone: severity === 'failed' ? 'bad' : 'warn',
    detail: detail.filter((part) => part !== '').join(', '),
    ...(state === 'held' && { isUnknown: true }),
    ...(object.id.startsWith('node/') && object.node !== undefined && { node: object.node }),
    vmid: object.vmid,
    ...(chart?.limit !== undefined && {
      past: { series: chart.series, field: chart.field as SampleField, limit: chart.limit },
    }),
  }
  return issue
}

/** Issues about things that could not be read. They come first, because without them a short list would wrongly mean good health. */
function unknownIssues(state: ClusterState): Issue[] {
  const lines = unreadLines(state)
  const [first = 'no answer yet', ...others] = lines
  const issue = (about: Pick<Issue, 'key' | 'tone' | 'fact' | 'detail'>): Issue => ({
    ...about,
    isUnknown: true,
    question: 'What could not be read, and why?',
  })
  if (state.unreachableSince !== undefined)
    return [issue({ key: 'unreachable', tone: 'bad', fact: 'The cluster cannot be read', detail: first })]
  if (facts.isBlind(state))
    return [issue({ key: 'unread', tone: 'warn', fact: 'The cluster is unknown', detail: first })]
  const isOfQuorum = (line: string) => line.startsWith('quorum ')
  const quorum = lines.find(isOfQuorum) ?? 'it could not be read'
  const rest = state.isQuorate === null ? [first, ...others].filter((line) => !isOfQuorum(line)) : lines
  const [most] = rest
  const more = rest.length > 1 ? `; and ${rest.length - 1} more` : ''
  return [
    ...(state.isQuorate === null
      ? [issue({ key: 'quorum', tone: 'warn', fact: 'Quorum is unknown', detail: quorum })]
      : []),
    ...(most === undefined
      ? []
      : [
          issue({
            key: 'unread',
            tone: 'warn',
            fact: `${plural(rest.length, 'thing')} could not be read`,
            detail: `${most}${more}`,
          }),
        ]),
  ]
}

/** Returns a node's health: its worst issue, or `unknown` if the node's state is not known. */
export function nodeMark(node: Node, issues: readonly Issue[], isLive: boolean): 'ok' | 'warn' | 'bad' | 'unknown' {
  if (!isLive || node.status === 'unknown') return 'unknown'
  if (node.status === 'offline') return 'bad'
  const own = issues.filter((issue) => issue.node === node.name && issue.vmid === undefined)
  return own.some((issue) => issue.tone === 'bad') ? 'bad' : own.length > 0 ? 'warn' : 'ok'
}

/** `1 thing needs a look`, `3 things need a look`. */
export const lookWords = (count: number) => `${plural(count, 'thing')} ${count === 1 ? 'needs' : 'need'} a look`

/** Returns a function that is true for a guest that an issue concerns: the guest itself, its node or its backup. */
export function concernedOf(
  state: Pick<ClusterState, 'guests'>,
  issues: readonly Issue[],
  now: number,
): (guest: Guest) => boolean {
  const ids = new Set([
    ...issues.flatMap(({ vmid }) => vmid ?? []),
    ...backupsOf(state.guests, now).stale.map(({ vmid }) => vmid),
  ])
  const nodes = new Set(issues.flatMap(({ node }) => node ?? []))
  return ({ vmid, node }) => ids.has(vmid) || nodes.has(node)
}

/** Returns a guest's mark: its power state, unless a measured value or a failure needs a look. */
export function guestMark(guest: Guest, issues: readonly Issue[], isLive: boolean): MarkKind {
  if (guest.isTemplate) return 'none'
  if (!isLive || guest.status === 'unknown') return 'unknown'
  return issues.some(({ vmid, tone, past }) => vmid === guest.vmid && (tone === 'bad' || past !== undefined))
    ? 'warn'
    : guest.status
}
