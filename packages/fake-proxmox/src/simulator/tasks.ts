import type { Task } from 'protocol'
import type { World } from './world.ts'

const user = 'root@pam'
const hex = (value: number) => Math.floor(value).toString(16).toUpperCase().padStart(8, '0')

/** Adds a running task to the cluster's list. */
export function beginTask(world: World, at: { node: string; type: string; id?: string; vmid?: number }): Task {
  const startedAt = world.clock.now()
  const id = at.vmid?.toString() ?? at.id ?? ''
  const task: Task = {
    upid: upidOf(world, { node: at.node, type: at.type, id, startedAt }),
    node: at.node,
    type: at.type,
    vmid: at.vmid,
    user,
    startedAt,
    status: 'running',
  }
  world.tasks.push(task)
  world.changed()
  return task
}

/** Replaces the running entry by an ended one; states read before stay unchanged. */
export function endTask(world: World, upid: string, exitStatus: string) {
  const index = world.tasks.findLastIndex((task) => task.upid === upid)
  const task = world.tasks[index]
  if (task === undefined) return
  world.tasks[index] = { ...task, status: statusFor(exitStatus), exitStatus, endedAt: world.clock.now() }
}

export function statusFor(exitStatus: string): Task['status'] {
  if (exitStatus === 'OK') return 'ok'
  return exitStatus.startsWith('WARNINGS: ') ? 'warnings' : 'failed'
}

export function upidOf(
  world: World,
  { node, type, id, startedAt }: { node: string; type: string; id: string; startedAt: number },
): string {
  const pid = hex(100_000 + world.random() * 3_000_000)
  const processStart = hex(world.random() * 2 ** 31)
  return `UPID:${node}:${pid}:${processStart}:${hex(startedAt / 1000)}:${type}:${id}:${user}:`
}
