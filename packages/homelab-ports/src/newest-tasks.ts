import { byNatural } from 'node-kit/natural'
import type { Task } from 'protocol'

/** Returns the newest `count` tasks, newest first, and all running tasks, because a running task may hold a lock. */
export function newest(tasks: readonly Task[], count: number): Task[] {
  const sorted = [...tasks].sort((a, b) => b.startedAt - a.startedAt || byNatural(a.upid, b.upid))
  return sorted.filter(({ status }, at) => at < count || status === 'running')
}
