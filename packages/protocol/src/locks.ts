import type { ClusterState, Guest, Task } from './cluster.ts'

/** Tasks of a node that lock guests which they do not name: of a clone, the new one; of a job of backups, each in its turn. */
const locksOthers =
  /^(?:vzdump|(?:qm|vz)(?:clone|create|restore|migrate)|qmigrate|imgdel|(?:start|stop|suspend|migrate)all|ha\w+)$/

type Seen = { [K in 'nodes' | 'tasks' | 'unread' | 'hidden']?: ClusterState[K] | undefined }

/** The running task that may hold a guest's lock; `none`: no such task is seen; `unknown`: the tasks of its node are not all known. */
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

/** The command on a guest's node with which a person removes its lock. JARVIS removes none. */
export const unlockCommand = ({ type, vmid }: Pick<Guest, 'type' | 'vmid'>): string =>
  `${type === 'vm' ? 'qm' : 'pct'} unlock ${vmid}`
