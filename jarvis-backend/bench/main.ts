import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Round, table } from './report.ts'
import { createRows, type Row } from './rows.ts'
import { buildAll, createSetup } from './setup.ts'

/** A round of one row that takes longer than this has hung. */
const longestMs = 60_000

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '5' }, profile: { type: 'string' } },
})
const rounds = Number(values.rounds)
if (!Number.isInteger(rounds) || rounds < 1 || rounds > 20)
  throw new Error('--rounds takes a whole number from 1 to 20')

// These need no server.
if (positionals[0] === 'memory') {
  console.log(await (await import('./memory/main.ts')).memory())
  process.exit()
}
if (positionals[0] === 'quality') {
  console.log(await (await import('./memory/quality.ts')).quality())
  process.exit()
}

console.error('Building the server…')
await buildAll()
const setup = await createSetup(values.profile === undefined ? undefined : resolve(values.profile))
const heading = () =>
  `${new Date().toISOString().slice(0, 10)}, ${availableParallelism()} cores, Node ${process.versions.node}, medians of ${rounds} rounds\n`
try {
  if (positionals[0] === 'ui') {
    console.log(heading())
    console.log(await (await import('./ui/main.ts')).ui(setup, rounds))
    await setup.close()
    process.exit()
  }
  if (positionals[0] === 'held') {
    console.log(await (await import('./held.ts')).held(setup, Number(positionals[1] ?? '15')))
    await setup.close()
    process.exit()
  }
  if (positionals[0] === 'ui-minutes') {
    console.log(heading())
    console.log(await (await import('./ui/minutes.ts')).minutesOfStream(setup, Number(positionals[1] ?? '10')))
    await setup.close()
    process.exit()
  }
  const known = createRows(setup)
  const unknown = positionals.find((name) => !known.some((row) => row.name === name))
  if (unknown !== undefined) {
    throw new Error(`There is no row ${unknown}. Rows: ${known.map(({ name }) => name).join(', ')}.`)
  }
  const rows = known.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
  const measured: { row: Row; rounds: Round[] }[] = []
  for (const row of rows) {
    console.error(`Measuring ${row.name}…`)
    // The first round warms up and is not counted.
    const all: Round[] = []
    for (let round = 0; round <= rounds; round++) all.push(await measure(row, round % 2 === 0))
    measured.push({ row, rounds: all.slice(1) })
  }
  console.log(heading())
  console.log(table(measured))
} finally {
  await setup.close()
}
process.exit()

/** @param isOursFirst the sides take turns in going first, so that a drift of the machine hits both alike. */
async function measure(row: Row, isOursFirst: boolean): Promise<Round> {
  const ours = () => inTime(row.ours())
  const base = async () => row.base && inTime(row.base.measure())
  if (isOursFirst) return { ours: await ours(), base: await base() }
  const first = await base()
  return { base: first, ours: await ours() }
}

function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done after ${longestMs / 1000} s`)), longestMs)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
