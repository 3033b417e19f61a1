import type { Task } from 'protocol'

/** One line of the list: a task, or several tasks of the same type and outcome that started within an hour. */
export type TaskGroup = { first: Task; count: number; isOneNode: boolean }

const togetherMs = 3_600_000

/** Groups tasks, which must be newest first, and keeps their order. */
export function groupTasks(tasks: readonly Task[]): TaskGroup[] {
  const groups: TaskGroup[] = []
  for (const task of tasks) {
    const last = groups.at(-1)
    const isSame =
      last !== undefined &&
      task.status !== 'running' &&
      task.type === last.first.type &&
      task.status === last.first.status &&
      task.exitStatus === last.first.exitStatus &&
      last.first.startedAt - task.startedAt < togetherMs
    if (!isSame) groups.push({ first: task, count: 1, isOneNode: true })
    else {
      last.count += 1
      last.isOneNode &&= task.node === last.first.node
    }
  }
  return groups
}
