import type { ClusterState, Guest, Node, Storage } from 'jarvis-backend/protocol'
import { celsius, percent, plural, sizeOf, span } from '../../lib/format.ts'

export type Tone = 'warn' | 'bad' | undefined

const hour = 3_600_000
/** A nightly backup that came two hours late is still fresh. */
export const limits = {
  cpuRatio: 0.9,
  cpuForMs: 600_000,
  ram: [0.9, 0.97],
  storage: [0.85, 0.95],
  temperature: [80, 90],
  backupMs: [26 * hour, 168 * hour],
} as const

const past = (value: number | undefined, [warn, bad]: readonly [number, number]): Tone =>
  value === undefined || value < warn ? undefined : value < bad ? 'warn' : 'bad'

export const ratio = (used: number | undefined, of: number | undefined) =>
  used === undefined || of === undefined || of === 0 ? undefined : used / of

export const temperatureTone = (node: Node): Tone => past(node.temperatureC, limits.temperature)
export const nodeRamTone = (node: Node): Tone => past(ratio(node.ramBytes, node.ramTotalBytes), limits.ram)
export const storageTone = (storage: Storage): Tone =>
  past(ratio(storage.usedBytes, storage.totalBytes), limits.storage)
export const backupTone = (guest: Guest, now: number): Tone =>
  guest.backupAt === undefined ? undefined : past(now - guest.backupAt, limits.backupMs)

/** Guests that run or ever had a backup are expected to have a fresh one. */
export function backupsOf(guests: readonly Guest[], now: number) {
  const expected = guests.filter((guest) => guest.status === 'running' || guest.backupAt !== undefined)
  const stale = expected.filter((guest) => guest.backupAt === undefined || backupTone(guest, now) !== undefined)
  const ages = expected.flatMap((guest) => (guest.backupAt === undefined ? [] : [now - guest.backupAt]))
  return { expected: expected.length, stale, oldestMs: ages.length === 0 ? undefined : Math.max(...ages) }
}

/** A fact that needs a look. `key` stays the same while it lasts. */
export type Issue = {
  key: string
  tone: 'warn' | 'bad'
  fact: string
  detail: string
  /** What to ask JARVIS about it. */
  question: string
  ask: string
  /** Unix ms, where this browser saw it begin. */
  since?: number | undefined
  node?: string
  vmid?: number
}

/** What needs a look now, worst first. `busySince`: since when a node or guest was seen over its CPU limit. */
export function issuesOf(state: ClusterState, now: number, busySince: (key: string) => number | undefined): Issue[] {
  const found: Issue[] = []
  if (!state.isQuorate) {
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
  const { stale, oldestMs } = backupsOf(state.guests, now)
  if (stale.length > 0) {
    found.push({
      key: 'backups',
      tone: stale.some((guest) => backupTone(guest, now) === 'bad') ? 'bad' : 'warn',
      fact: `${plural(stale.length, 'guest')} without a fresh backup`,
      detail: oldestMs === undefined ? 'none was ever made' : `oldest is ${span(oldestMs)} old`,
      question: 'Why are backups missing?',
      ask: 'Ask why',
    })
  }
  for (const storage of state.storages) {
    const tone = storageTone(storage)
    const full = ratio(storage.usedBytes, storage.totalBytes)
    if (tone === undefined || full === undefined) continue
    found.push({
      key: `storage ${storage.node ?? ''} ${storage.name}`,
      tone,
      fact: `${storage.name} is ${percent(full)} full`,
      detail: sizeOf(storage.usedBytes, storage.totalBytes),
      question: `${storage.name} is ${Math.round(full * 100)} % full. What grew?`,
      ask: 'Ask what grew',
    })
  }
  for (const guest of state.guests) {
    const since = busySince(String(guest.vmid))
    if (since === undefined || now - since < limits.cpuForMs) continue
    found.push({
      key: `cpu ${guest.vmid}`,
      tone: 'warn',
      fact: `${guest.vmid} ${guest.name} is at ${percent(guest.cpuRatio)} CPU`,
      detail: `limit ${percent(limits.cpuRatio)}`,
      question: `Why does ${guest.vmid} use so much CPU?`,
      ask: 'Ask why',
      vmid: guest.vmid,
    })
  }
  return found.sort((a, b) => Number(b.tone === 'bad') - Number(a.tone === 'bad'))
}

function nodeIssues(node: Node, now: number, busySince: number | undefined): Issue[] {
  const found: Issue[] = []
  const add = (what: string, tone: Tone, fact: string, detail: string, question: string) => {
    if (tone === undefined) return
    found.push({ key: `${what} ${node.name}`, tone, fact, detail, question, ask: 'Ask why', node: node.name })
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
  const ram = ratio(node.ramBytes, node.ramTotalBytes)
  if (node.temperatureC !== undefined) {
    const degrees = Math.round(node.temperatureC)
    const detail = `limit ${celsius(limits.temperature[0])}`
    add(
      'heat',
      temperatureTone(node),
      `${node.name} is at ${celsius(degrees)}`,
      detail,
      `${node.name} is at ${degrees} °C. Why?`,
    )
  }
  if (ram !== undefined) {
    const question = `What uses the memory of ${node.name}?`
    add('ram', nodeRamTone(node), `${node.name} uses ${percent(ram)} of its memory`, 'little is left', question)
  }
  if (busySince !== undefined && now - busySince >= limits.cpuForMs) {
    const fact = `${node.name} is at ${percent(node.cpuRatio ?? 0)} CPU`
    add('cpu', 'warn', fact, `limit ${percent(limits.cpuRatio)}`, `What keeps ${node.name} busy?`)
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

export function guestMark(guest: Guest, issues: readonly Issue[], isLive: boolean) {
  if (!isLive || guest.status === 'unknown') return 'unknown'
  return issues.some((issue) => issue.vmid === guest.vmid) ? 'warn' : guest.status
}
