import type { ClusterState, Guest, Task } from './cluster.ts'

/** Types of tasks that may lock guests which the task does not name. A clone locks the new guest; a backup job locks each of its guests in turn. */
const locksOthers =
  /^(?:vzdump|(?:qm|vz)(?:clone|create|restore|migrate)|qmigrate|imgdel|(?:start|stop|suspend|migrate)all|ha\w+)$/

type Seen = { [K in 'nodes' | 'tasks' | 'unread' | 'hidden']?: ClusterState[K] | undefined }

/**
 * Returns the running task that may hold a guest's lock. `none`: no such task is known. `unknown`: the tasks of the guest's node are not all known.
 */
export function lockHolder(
  { vmid, node }: Pick<Guest, 'vmid' | 'node'>,
  { nodes, tasks, unread, hidden }: Seen,
): Task | 'none' | 'unknown' {
  const holder = tasks?.find(
    (task) => task.status === 'running' && (task.vmid === vmid || (task.node === node && locksOthers.test(task.type))),
  )
  if (holder !== undefined) return holder
  const isOnline = nodes?.some(({ name, status }) => name === node && status === 'online')
  const areKnown = tasks !== undefined && ![...(unread ?? []), ...(hidden ?? [])].includes('tasks')
  return areKnown && isOnline === true ? 'none' : 'unknown'
}

/** Returns the command with which a person removes a guest's lock on its node. JARVIS never removes a lock. */
export const unlockCommand = ({ type, vmid }: Pick<Guest, 'type' | 'vmid'>): string =>
  `${type === 'vm' ? 'qm' : 'pct'} unlock ${vmid}`
