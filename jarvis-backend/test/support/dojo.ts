import type { ProfileName } from 'protocol'
import { onTestFinished } from 'vitest'
import { openLab } from '../../dojo/lab.ts'
import { plantedFor, type ScriptedName, scriptedModel } from '../../dojo/models.ts'
import { play } from '../../dojo/play.ts'
import { readTasks, type Task } from '../../dojo/task.ts'

export const tasks = readTasks()
/** @throws Error if there is no such task */
export const taskOf = (id: string): Task => {
  const task = tasks.find((one) => one.id === id)
  if (task === undefined) throw new Error(`There is no task ${id}.`)
  return task
}

/** Plays tasks of the dojo one after the other in one laboratory. */
export async function playAll(name: ScriptedName, profile: ProfileName, ids: readonly string[]) {
  let task = taskOf(ids[0] ?? '')
  const how = plantedFor(name)
  const { desk } = task
  const lab = await openLab({
    model: scriptedModel(name, () => task),
    profile,
    ...(how && { planted: how }),
    desk: desk ? task : undefined,
  })
  onTestFinished(() => lab.close())
  const outcomes = []
  for (const id of ids) {
    task = taskOf(id)
    outcomes.push(await play(lab, task))
  }
  return { outcomes, lab }
}
