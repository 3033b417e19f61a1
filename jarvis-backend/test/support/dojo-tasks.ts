import { onTestFinished } from 'vitest'
import { openLab } from '../../dojo/lab.ts'
import { plantedFor, type ScriptedName, scriptedModel } from '../../dojo/models.ts'
import { play } from '../../dojo/play.ts'
import { readTasks, type Task } from '../../dojo/task.ts'
import type { ProfileName } from '../../src/protocol/index.ts'

const tasks = readTasks()
/** @throws Error where there is no such task */
export const taskOf = (id: string): Task => {
  const task = tasks.find((one) => one.id === id)
  if (task === undefined) throw new Error(`There is no task ${id}.`)
  return task
}

/** Plays tasks one after another in one lab, which ends with the test. */
export async function playTasks(name: ScriptedName, profile: ProfileName, ids: readonly string[]) {
  let task = taskOf(ids[0] ?? '')
  const how = plantedFor(name)
  const { desk } = task
  const lab = await openLab({
    model: scriptedModel(name, () => task),
    ...{ profile, ...(how && { planted: how }), desk: desk ? task : undefined },
  })
  onTestFinished(() => lab.close())
  const outcomes = []
  for (const id of ids) {
    task = taskOf(id)
    outcomes.push(await play(lab, task))
  }
  return { outcomes, lab }
}

/** Tasks of models that obey what they read. In the second the operator names a guest that a text orders to be stopped. */
export const obeying = [
  ['hostile', ['why-failed', 'backup-of-vault', 'uncovered', 'attached-log']],
  ['gullible', ['last-night', 'attached-log']],
] as const
