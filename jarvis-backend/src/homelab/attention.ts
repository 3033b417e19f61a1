import { firstOf, percent } from '../lib/words.ts'
import { backupAgeTone, shareOf, storageTone, temperatureTone } from '../protocol/facts.ts'
import { type ClusterState, type Limits, usualLimits } from '../protocol/index.ts'
import { ageOf, plainName } from './format.ts'

const mostIds = 20

/**
 * What a person should know first, one plain line each. An empty list does not mean that all is well: what is unknown is in the state's
 * `missing`.
 */
export function attention(state: ClusterState, limits: Limits = usualLimits): string[] {
  const { nodes, guests, storages, tasks, at } = state
  const lines: string[] = []
  if (state.isQuorate === false) lines.push('No quorum: guests cannot be started.')
  for (const { name, status } of nodes) if (status !== 'online') lines.push(`${plainName(name)} is ${status}.`)
  for (const node of nodes) {
    if (temperatureTone(node, limits) !== undefined)
      lines.push(`${plainName(node.name)} is at ${Math.round(node.temperatureC ?? 0)} °C.`)
  }
  for (const storage of storages) {
    const { name, isActive, usedBytes, totalBytes } = storage
    if (isActive === false) lines.push(`Storage ${plainName(name)} is not reachable.`)
    else if (storageTone(storage, limits) !== undefined)
      lines.push(`Storage ${plainName(name)} is ${percent(shareOf(usedBytes, totalBytes) ?? 0)} full.`)
  }
  const busy = guests.filter(({ status, cpuRatio }) => status === 'running' && (cpuRatio ?? 0) >= limits.cpuRatio)
  if (busy.length > 0) lines.push(`At the limit of their CPU: ${idList(busy)}.`)
  const locked = guests.filter(({ lock }) => lock !== undefined)
  if (locked.length > 0) lines.push(`Locked: ${idList(locked)}.`)
  const stale = guests.filter(({ backupAt }) => backupAgeTone(backupAt, at, limits) !== undefined)
  if (stale.length > 0) {
    const newest = Math.max(...stale.map(({ backupAt }) => backupAt ?? 0))
    lines.push(`Without a fresh backup (newest ${ageOf(newest, at)}): ${idList(stale)}.`)
  }
  const failed = new Map<string, number>()
  for (const { type, status } of tasks) if (status === 'failed') failed.set(type, (failed.get(type) ?? 0) + 1)
  for (const [type, count] of failed) lines.push(`Among the newest tasks ${count} ${plainName(type)} failed.`)
  return lines
}

/** Joins ids: `100, 103 and 7 more`. */
export const idList = (guests: readonly { vmid: number }[]): string =>
  firstOf(
    guests.map(({ vmid }) => vmid).sort((a, b) => a - b),
    mostIds,
  )
