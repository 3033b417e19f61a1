import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { type ProfileName, profileNames } from '../src/protocol/index.ts'
import { findChromium, hasPlaywright } from '../src/workbench/browser/parts.ts'
import { bwrapPath } from '../src/workbench/sandbox/argv.ts'
import { readHouses } from './everyday/conversation.ts'
import { openHouse, type Played } from './everyday/live.ts'
import { beyondGoals, faultOf, figuresOf, lineOf, summaryOf } from './everyday/measure.ts'
import { openLab } from './lab.ts'
import { plantedFor, type ScriptedName, scriptedModel, scriptedNames } from './models.ts'
import { type Outcome, play } from './play.ts'
import { linesOf, table } from './report.ts'
import { readTasks, type Task, withPort } from './task.ts'

const usage = `npm run dojo -- [--model NAME]… [--profile NAME]… [--only ID]… [--json]

npm run dojo -- --everyday [--only ID|HOUSE]… [--json]

  --model    careful, careless, hostile or gullible, which need no service; or PROVIDER/MODEL as in JARVIS_MODEL, whose key is in the
             environment. Absent: the four.
  --profile  ${profileNames.join(', ')}. Absent: balanced; for hostile and gullible all but unrestricted.
  --only     a task's id
  --everyday the conversations of everyday in place of the tasks, with a script for a model
  --json     one object for each task`

const { values } = parseArgs({
  options: {
    ...{ model: { type: 'string', multiple: true }, profile: { type: 'string', multiple: true } },
    ...{ only: { type: 'string', multiple: true }, json: { type: 'boolean', default: false } },
    everyday: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(usage)
  process.exit()
}
if (values.everyday) {
  await everyday()
  process.exit()
}
const wanted = readTasks().filter(({ id }) => values.only === undefined || values.only.includes(id))
if (wanted.length === 0) throw new Error(`There is no such task.\n${usage}`)
const sandbox = existsSync(bwrapPath)
const has = { sandbox, browser: sandbox && findChromium() !== undefined && hasPlaywright() }
const tasks = wanted.filter(({ needs }) => needs.every((need) => has[need]))
const skipped = wanted.filter((task) => !tasks.includes(task)).map(({ id }) => id)
if (skipped.length > 0)
  console.log(`Left out, because this machine has no bubblewrap or no Chromium: ${skipped.join(', ')}\n`)
const isScripted = (name: string): name is ScriptedName => (scriptedNames as readonly string[]).includes(name)
const profilesOf = (model: string): readonly ProfileName[] => {
  const named = values.profile?.map((name) => {
    const known = profileNames.find((profile) => profile === name)
    if (known === undefined) throw new Error(`There is no profile ${name}.\n${usage}`)
    return known
  })
  return (
    named ??
    (model === 'hostile' || model === 'gullible'
      ? profileNames.filter((name) => name !== 'unrestricted')
      : ['balanced'])
  )
}

let harm = 0
for (const model of values.model ?? scriptedNames) {
  for (const profile of profilesOf(model)) {
    const outcomes = await all(model, profile)
    // A bounded change at the wrong guest runs, is journalled and can be undone; one that a hostile text ordered may not.
    if (model !== 'careless') harm += outcomes.reduce((sum, outcome) => sum + outcome.harm.length, 0)
    if (values.json) for (const outcome of outcomes) console.log(JSON.stringify({ model, profile, ...outcome }))
    else console.log(`${linesOf(outcomes, tasks)}\n${table(model, profile, outcomes, tasks)}\n`)
  }
}
process.exitCode = harm > 0 ? 1 : 0

/** Plays the houses, and ends with 1 where a figure is beyond its goal or a conversation could not be played. */
async function everyday(): Promise<void> {
  const all: Played[] = []
  for (const house of readHouses()) {
    const isWanted = (id: string) =>
      values.only === undefined || [id, house.name].some((one) => values.only?.includes(one))
    const tasks = house.tasks.filter(
      ({ id, needs }) => isWanted(id) && needs.every((need) => need !== 'sandbox' || existsSync(bwrapPath)),
    )
    if (tasks.length === 0) continue
    const lived = await openHouse({ ...house, tasks })
    const played: Played[] = []
    for (const task of tasks) played.push(await lived.play(task))
    await lived.close()
    all.push(...played)
    if (values.json) for (const one of played) console.log(JSON.stringify({ house: house.name, ...one }))
    else tell(house.name, played)
  }
  if (all.length === 0) throw new Error(`There is no such conversation.\n${usage}`)
  const beyond = beyondGoals(figuresOf(all.flatMap(({ rows }) => rows)))
  if (!values.json) {
    console.log(
      summaryOf(
        'everyday',
        all.length,
        all.flatMap(({ rows }) => rows),
      ),
    )
    for (const line of beyond) console.log(`BEYOND ITS GOAL: ${line}`)
  }
  process.exitCode = beyond.length > 0 || all.some(({ problems }) => problems.length > 0) ? 1 : 0
}

function tell(name: string, played: readonly Played[]): void {
  const rows = played.flatMap((one) => one.rows)
  for (const row of rows) if (faultOf(row) !== undefined) console.log(lineOf(row))
  for (const { id, problems } of played) for (const problem of problems) console.log(`  ${id}: NOT PLAYED: ${problem}`)
  console.log(`${summaryOf(name, played.length, rows)}\n`)
}

/** Each task in a laboratory of its own, so that none finds what another left. */
async function all(model: string, profile: ProfileName): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const task of tasks) outcomes.push(await one(model, profile, task))
  return outcomes
}

async function one(model: string, profile: ProfileName, task: Task): Promise<Outcome> {
  if (!isScripted(model)) process.env.JARVIS_MODEL = model
  const how = plantedFor(model)
  let played = task
  const lab = await openLab({
    ...(isScripted(model) && { model: scriptedModel(model, () => played) }),
    ...{ profile, ...(how && { planted: how }), desk: task.desk ? task : undefined },
  })
  if (lab.desk !== undefined) played = withPort(task, lab.desk.port)
  try {
    return await play(lab, task)
  } finally {
    await lab.close()
  }
}
