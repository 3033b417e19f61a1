import type { Tone } from 'jarvis-backend/facts'
import * as facts from 'jarvis-backend/facts'
import type { ClusterState, Guest, Limits, Node, SampleField, Storage } from 'jarvis-backend/protocol'
import { limits } from '../../api/limits.ts'
import { celsius, percent, plural, size, span } from '../../lib/format.ts'
import type { MarkKind } from '../../ui/mark.tsx'
import { unreadLines } from './unknown.ts'

export const limitsNow = (): Limits => limits.value.get() ?? facts.usualLimits

export const temperatureTone = (node: Node): Tone => facts.temperatureTone(node, limitsNow())
export const nodeRamTone = (node: Node): Tone => facts.nodeRamTone(node, limitsNow())
export const storageTone = (storage: Storage): Tone => facts.storageTone(storage, limitsNow())
/** A guest that runs is expected to have a backup; one that is off, only to renew what it has. */
export function backupTone({ backupAt, status }: Pick<Guest, 'backupAt' | 'status'>, now: number): Tone {
  // An unknown backup has a line of its own.
  if (backupAt === null) return undefined
  if (backupAt === undefined) return status === 'running' ? 'warn' : undefined
  return facts.backupAgeTone(backupAt, now, limitsNow())
}

/** Guests that run or ever had a backup are expected to have a fresh one. */
export function backupsOf(guests: readonly Guest[], now: number) {
  const expected = guests.filter((guest) => guest.status === 'running' || typeof guest.backupAt === 'number')
  const stale = expected.filter((guest) => backupTone(guest, now) !== undefined)
  const unknown = expected.filter(({ backupAt }) => backupAt === null).length
  const ages = expected.flatMap(({ backupAt }) => (typeof backupAt === 'number' ? [now - backupAt] : []))
  return { expected: expected.length, stale, unknown, oldestMs: ages.length === 0 ? undefined : Math.max(...ages) }
}

/** The age in words that all stale backups share; undefined where the ages differ or a guest has no backup. */
export function sharedAge(stale: readonly Guest[], now: number): string | undefined {
  const ages = new Set(stale.map(({ backupAt }) => (typeof backupAt === 'number' ? span(now - backupAt) : undefined)))
  return ages.size === 1 ? [...ages][0] : undefined
}

/** A fact that needs a look. `key` stays the same while the issue lasts. */
export type Issue = {
  key: string
  tone: 'warn' | 'bad'
  fact: string
  detail: string
  /** The question to JARVIS about the issue. */
  question: string
  ask: string
  /** Unix ms when this browser saw the issue begin; undefined where it did not. */
  since?: number | undefined
  /** Whether the issue is that something could not be read. */
  isUnknown?: boolean
  node?: string
  vmid?: number
  /** The figure that crossed its limit, as the ring of samples names it. */
  past?: { series: string; field: SampleField; limit: number }
}

/** What needs a look now, worst first. `busySince`: Unix ms since when a node or guest was over its CPU limit. */
export function issuesOf(state: ClusterState, now: number, busySince: (key: string) => number | undefined): Issue[] {
  const found: Issue[] = unknownIssues(state)
  if (facts.isBlind(state)) return found
  if (state.isQuorate === false) {
    found.push({
      key: 'quorum',
      tone: 'bad',
      fact: 'No quorum',
      detail: 'guests cannot be started',
      question: 'Why is there no quorum?',
      ask: 'Ask why',
    })
  }
  for (const node of state.nodes) found.push(...nodeIssues(node, now, busySince(`node/${node.name}`)))
  const { stale } = backupsOf(state.guests, now)
  if (stale.length > 0) {
    const newest = Math.max(...stale.map(({ backupAt }) => backupAt ?? 0))
    found.push({
      key: 'backups',
      tone: stale.some((guest) => backupTone(guest, now) === 'bad') ? 'bad' : 'warn',
      fact: `${plural(stale.length, 'guest')} without a fresh backup`,
      detail: newest === 0 ? 'none was ever made' : `newest is ${span(now - newest)} old`,
      question: 'Why are backups missing?',
      ask: 'Ask why',
    })
  }
  for (const storage of state.storages) {
    if (storage.isActive === false) {
      const { name, node } = storage
      found.push({
        key: `storage ${node ?? ''} ${name} away`,
        tone: 'warn',
        fact: `${name} is not reachable`,
        detail: node === undefined ? 'shared' : `on ${node}`,
        question: `Why is the storage ${name} not reachable?`,
        ask: 'Ask why',
      })
    }
    const tone = storageTone(storage)
    const full = facts.shareOf(storage.usedBytes, storage.totalBytes)
    if (tone === undefined || full === undefined) continue
    found.push({
      key: `storage ${storage.node ?? ''} ${storage.name}`,
      tone,
      fact: `${storage.name} is ${percent(full)} full`,
      detail: `${size((storage.totalBytes ?? 0) - (storage.usedBytes ?? 0), storage.totalBytes ?? 0)} left`,
      question: `${storage.name} is ${Math.round(full * 100)} % full. What grew?`,
      ask: 'Ask what grew',
      past: { series: facts.storageSeries(storage), field: 'usedRatio', limit: limitsNow().storageRatio[0] },
    })
  }
  for (const guest of state.guests) {
    const since = busySince(String(guest.vmid))
    if (since === undefined || now - since < limitsNow().cpuMinutes * 60_000) continue
    found.push({
      key: `cpu ${guest.vmid}`,
      tone: 'warn',
      fact: `${guest.vmid} ${guest.name} is at ${percent(guest.cpuRatio ?? 0)} CPU`,
      detail: `limit ${percent(limitsNow().cpuRatio)}`,
      question: `Why does ${guest.vmid} use so much CPU?`,
      ask: 'Ask why',
      vmid: guest.vmid,
      past: { series: `guest/${guest.vmid}`, field: 'cpuRatio', limit: limitsNow().cpuRatio },
    })
  }
  return found.sort((a, b) => Number(b.tone === 'bad') - Number(a.tone === 'bad'))
}

/** Issues about what could not be read. They come first, because a short list then does not mean good health. */
function unknownIssues(state: ClusterState): Issue[] {
  const lines = unreadLines(state)
  const [first = 'no answer yet', ...others] = lines
  const issue = (key: string, tone: Issue['tone'], fact: string, detail: string): Issue => ({
    ...{ key, tone, fact, detail, isUnknown: true },
    ...{ question: 'What could not be read, and why?', ask: 'Ask why' },
  })
  if (state.unreachableSince !== undefined) return [issue('unreachable', 'bad', 'The cluster cannot be read', first)]
  if (facts.isBlind(state)) return [issue('unread', 'warn', 'The cluster is unknown', first)]
  const isOfQuorum = (line: string) => line.startsWith('quorum ')
  const quorum = lines.find(isOfQuorum) ?? 'it could not be read'
  const rest = state.isQuorate === null ? [first, ...others].filter((line) => !isOfQuorum(line)) : lines
  const [most] = rest
  const more = rest.length > 1 ? `; and ${rest.length - 1} more` : ''
  return [
    ...(state.isQuorate === null ? [issue('quorum', 'warn', 'Quorum is unknown', quorum)] : []),
    ...(most === undefined
      ? []
      : [issue('unread', 'warn', `${plural(rest.length, 'thing')} could not be read`, `${most}${more}`)]),
  ]
}

function nodeIssues(node: Node, now: number, busySince: number | undefined): Issue[] {
  const found: Issue[] = []
  const series = `node/${node.name}`
  const add = (what: string, tone: Tone, fact: string, detail: string, question: string, past?: Issue['past']) => {
    if (tone === undefined) return
    const key = `${what} ${node.name}`
    found.push({ key, tone, fact, detail, question, ask: 'Ask why', node: node.name, ...(past && { past }) })
  }
  if (node.status !== 'online') {
    const seen = node.lastSeenAt === undefined ? 'not seen yet' : `last seen ${span(now - node.lastSeenAt)} ago`
    add(
      'away',
      node.status === 'offline' ? 'bad' : 'warn',
      `${node.name} is away`,
      seen,
      `What happened to ${node.name}?`,
    )
    return found
  }
  const ram = facts.shareOf(node.ramBytes, node.ramTotalBytes)
  if (typeof node.temperatureC === 'number') {
    const degrees = Math.round(node.temperatureC)
    const detail = `limit ${celsius(limitsNow().temperatureC[0])}`
    add(
      'heat',
      temperatureTone(node),
      `${node.name} is at ${celsius(degrees)}`,
      detail,
      `${node.name} is at ${degrees} °C. Why?`,
      { series, field: 'temperatureC', limit: limitsNow().temperatureC[0] },
    )
  }
  if (ram !== undefined) {
    const question = `What uses the memory of ${node.name}?`
    add('ram', nodeRamTone(node), `${node.name} uses ${percent(ram)} of its memory`, 'little is left', question, {
      series,
      field: 'ramRatio',
      limit: limitsNow().ramRatio[0],
    })
  }
  if (busySince !== undefined && now - busySince >= limitsNow().cpuMinutes * 60_000) {
    const fact = `${node.name} is at ${percent(node.cpuRatio ?? 0)} CPU`
    add('cpu', 'warn', fact, `limit ${percent(limitsNow().cpuRatio)}`, `What keeps ${node.name} busy?`, {
      series,
      field: 'cpuRatio',
      limit: limitsNow().cpuRatio,
    })
  }
  return found
}

/** A node's health for its mark: its worst issue, or unknown where it is away. */
export function nodeMark(node: Node, issues: readonly Issue[], isLive: boolean): 'ok' | 'warn' | 'bad' | 'unknown' {
  if (!isLive || node.status === 'unknown') return 'unknown'
  if (node.status === 'offline') return 'bad'
  const own = issues.filter((issue) => issue.node === node.name && issue.vmid === undefined)
  return own.some((issue) => issue.tone === 'bad') ? 'bad' : own.length > 0 ? 'warn' : 'ok'
}

/** `1 thing needs a look`, `3 things need a look`. */
export const lookWords = (count: number) => `${plural(count, 'thing')} ${count === 1 ? 'needs' : 'need'} a look`

/** Whether an issue concerns a guest: the guest itself, its node or its backup. */
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

export function guestMark(guest: Guest, issues: readonly Issue[], isLive: boolean): MarkKind {
  if (guest.isTemplate) return 'none'
  if (!isLive || guest.status === 'unknown') return 'unknown'
  return issues.some((issue) => issue.vmid === guest.vmid) ? 'warn' : guest.status
}
