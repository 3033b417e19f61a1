import { onTestFinished } from 'vitest'
import { playable } from '../../dojo/everyday/command.ts'
import type { House } from '../../dojo/everyday/conversation.ts'
import { openHouse } from '../../dojo/everyday/live.ts'
import { countedRows, faultOf, lineOf, type Played } from '../../dojo/everyday/measure.ts'
import { builtMemoryWorker } from './program.ts'

/** Plays all conversations of a house, in a JARVIS that ends with the test. Costs 3 to 10 s of CPU time. */
export async function playHouse(house: House): Promise<Played[]> {
  const tasks = playable(house)
  const lived = await openHouse({ ...house, tasks }, builtMemoryWorker())
  onTestFinished(() => lived.close())
  const all: Played[] = []
  for (const task of tasks) all.push(await lived.play(task))
  return all
}

/** All that is wrong in them, but for needless cards, of which a few are allowed in all. */
export function problemsOf(all: readonly Played[]): string[] {
  const wrong = countedRows(all).filter((one) => ![undefined, 'needless card'].includes(faultOf(one)))
  const problems = all.flatMap(({ id, problems }) => problems.map((problem) => `${id}: ${problem}`))
  return [...problems, ...wrong.map(lineOf)]
}
