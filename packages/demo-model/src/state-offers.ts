import type { ClusterState, Guest } from 'protocol'
import { counted, plain } from './words.ts'

const hotC = 75
const fullRatio = 0.85
const staleMs = 26 * 3_600_000

/** A fact of the cluster that wants a look, and a sentence that follows it up. */
export type Lead = { fact: string; sentence: string; tool: string }

/** Returns the facts that want a look now, the gravest first. */
export function leadsOf(cluster: ClusterState): Lead[] {
  const { nodes, guests, storages, tasks, at } = cluster
  const away = nodes.filter(({ status }) => status !== 'online')
  const [hot] = nodes
    .filter(({ status, temperatureC }) => status === 'online' && (temperatureC ?? 0) >= hotC)
    .toSorted((a, b) => (b.temperatureC ?? 0) - (a.temperatureC ?? 0))
  const failed = new Set(
    tasks
      .filter(({ type, status, startedAt }) => type === 'vzdump' && status === 'failed' && at - startedAt < staleMs)
      .map(({ vmid }) => vmid),
  )
  const stale = guests.filter(({ backupAt }) => typeof backupAt === 'number' && at - backupAt > staleMs)
  const missing = Math.max(failed.size, stale.length)
  const closed = storages.filter(({ isActive }) => isActive === false)
  const [full] = storages
    .filter(({ usedBytes, totalBytes, isActive }) => isActive && (usedBytes ?? 0) / (totalBytes || 1) >= fullRatio)
    .toSorted((a, b) => (b.usedBytes ?? 0) / (b.totalBytes || 1) - (a.usedBytes ?? 0) / (a.totalBytes || 1))
  const [down] = downFirst(cluster)
  return [
    ...away.map(({ name, status }) => ({
      fact: `${plain(name)} is ${status}`,
      sentence: `what happened to ${name}?`,
      tool: 'get_recent_tasks',
    })),
    ...(hot === undefined
      ? []
      : [
          {
            fact: `${plain(hot.name)} is at ${Math.round(hot.temperatureC ?? 0)} °C`,
            sentence: `why is ${hot.name} hot?`,
            tool: 'get_node_temperature',
          },
        ]),
    ...(missing === 0
      ? []
      : [
          {
            fact:
              failed.size > 0
                ? `the last backup of ${counted(failed.size, 'guest')} failed`
                : `${counted(stale.length, 'guest')} ${stale.length === 1 ? 'has' : 'have'} no fresh backup`,
            sentence: 'why are backups missing?',
            tool: 'get_backups',
          },
        ]),
    ...(down === undefined
      ? []
      : [
          {
            fact: `${plain(down.name)} is ${down.status}`,
            sentence: `start ${nameOf(down, guests)}`,
            tool: down.type === 'vm' ? 'start_vm' : 'start_container',
          },
        ]),
    ...closed.map(({ name }) => ({
      fact: `${plain(name)} is not reachable`,
      sentence: `why is the storage ${name} not reachable?`,
      tool: 'get_storage',
    })),
    ...(full === undefined
      ? []
      : [
          {
            fact: `${plain(full.name)} is ${Math.round(((full.usedBytes ?? 0) / (full.totalBytes || 1)) * 100)} % full`,
            sentence: `what fills ${full.name}?`,
            tool: 'get_storage',
          },
        ]),
  ]
}

/** Returns the stopped guests: first one that serves a storage that cannot be reached. */
function downFirst({ guests, storages }: ClusterState): Guest[] {
  const closed = storages
    .filter(({ isActive }) => isActive === false)
    .map(({ name }) => name.toLowerCase().split(/[-_.]/))
  const serves = ({ name }: Guest) => closed.some((words) => words.includes(name.toLowerCase()))
  return guests
    .filter(({ status, isTemplate }) => status === 'stopped' && !isTemplate)
    .toSorted((a, b) => Number(serves(b)) - Number(serves(a)))
}

/** Returns the guest's name, or its number if the name would not be one word or is not its own. */
export const nameOf = ({ vmid, name }: Pick<Guest, 'vmid' | 'name'>, guests: readonly Guest[]): string =>
  /^[a-z][\w.-]*$/i.test(name) && guests.filter((guest) => guest.name === name).length === 1 ? name : String(vmid)
