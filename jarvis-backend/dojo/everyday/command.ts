import { existsSync } from 'node:fs'
import { bwrapPath } from 'sandbox/argv'
import { type House, readHouses } from './conversation.ts'
import { openHouse } from './live.ts'
import { beyondGoals, countedRows, faultOf, figuresOf, lineOf, type Played, summaryOf } from './measure.ts'

/**
 * Plays the conversations of everyday and prints what came of them.
 * @param options.only ids of conversations and names of houses; absent: all @param options.isJson one object for each conversation, no words
 * @returns whether all could be played, each figure is within its goal, and each gap is still one. @throws Error if nothing has one of the names
 */
export async function everyday(options: { only?: readonly string[] | undefined; isJson: boolean }): Promise<boolean> {
  const { only, isJson } = options
  const all: Played[] = []
  for (const house of readHouses()) {
    const isWanted = (id: string) => only === undefined || only.includes(id) || only.includes(house.name)
    const tasks = playable(house).filter(({ id }) => isWanted(id))
    if (tasks.length === 0) continue
    const lived = await openHouse({ ...house, tasks })
    const played: Played[] = []
    for (const task of tasks) played.push(await lived.play(task))
    await lived.close()
    all.push(...played)
    for (const one of played) {
      if (isJson) console.log(JSON.stringify({ house: house.name, ...one }))
      else for (const line of linesOf(one)) console.log(`  ${line}`)
    }
    if (!isJson) console.log(`${summaryOf(house.name, played)}\n`)
  }
  if (all.length === 0) throw new Error('There is no such conversation. Without --only all are played.')
  const wrong = [...beyondGoals(figuresOf(countedRows(all))), ...mendedGaps(all)]
  if (!isJson) for (const line of [summaryOf('everyday', all), ...wrong]) console.log(line)
  return wrong.length === 0 && all.every(({ problems }) => problems.length === 0)
}

/** A gap that the gate answers rightly now is none any more, and its conversation counts. */
const mendedGaps = (played: readonly Played[]): string[] =>
  played
    .filter(({ gap, rows }) => gap !== undefined && rows.every((row) => faultOf(row) === undefined))
    .map(({ id }) => `${id} is answered rightly now: take its \`gap\` away.`)

/** The conversations of a house that this machine has all for. */
const playable = ({ tasks }: House): House['tasks'] =>
  tasks.filter(({ needs }) => needs.every((need) => need !== 'sandbox' || existsSync(bwrapPath)))

const linesOf = ({ id, rows, problems, gap }: Played): string[] => [
  ...rows.flatMap((row) =>
    faultOf(row) === undefined ? [] : `${gap === undefined ? '' : 'KNOWN GAP: '}${lineOf(row)}`,
  ),
  ...problems.map((problem) => `${id}: NOT PLAYED: ${problem}`),
]
