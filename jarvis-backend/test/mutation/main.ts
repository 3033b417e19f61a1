import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { parseArgs } from 'node:util'
import { createRandom } from 'fake-proxmox/simulator/random'
import { type Mutant, mutate } from './mutants.ts'
import { filesOf, isTarget, type TargetName, targetNames } from './targets.ts'
import { type Fate, wake } from './wake.ts'

/**
 * `npm run mutation -- [--only TARGET]… [--minutes N] [--seed N] [--most N]`: changes the code in memory, one small change at a time, and lists the changes
 * that no test notices. Exit code 1 where the tests of a target could not be run.
 */
const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    minutes: { type: 'string', default: '40' },
    seed: { type: 'string', default: String(Math.floor(Date.now() / 86_400_000)) },
    most: { type: 'string', default: 'Infinity' },
  },
})
const say = (text: string) => void process.stdout.write(`${text}\n`)
const [minutes, seed, most] = [Number(values.minutes), Number(values.seed), Number(values.most)]
const names = values.only ?? targetNames
if (!(minutes > 0) || !Number.isInteger(seed) || !(most > 0) || !names.every(isTarget)) {
  say(`--minutes, --seed and --most take numbers, --only one of ${targetNames.join(', ')}.`)
  process.exit(2)
}

type Known = Mutant & { file: string; place: string }
const random = createRandom(seed)
const work = names.filter(isTarget).map((name) => {
  const { code, tests } = filesOf(name)
  const all: Known[] = []
  const files = code.map((file) => {
    const first = all.length
    for (const mutant of mutate(readFileSync(file, 'utf8'), first).mutants)
      all.push({ ...mutant, file, place: `${relative(process.cwd(), file)}:${mutant.line}` })
    return { file, first }
  })
  // In an order by chance, so that a run whose time is over has tried a fair part of each file.
  const order = all.map(({ id }) => ({ id, at: random() })).sort((a, b) => a.at - b.at)
  return { name, all, files, tests, mutants: order.map(({ id }) => id).slice(0, most) }
})

// The process of tests is a group of its own, and is stopped when this one ends.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
say(`Seed ${seed}: --seed ${seed} takes the mutants in the same order.`)
const until = Date.now() + minutes * 60_000
for (const [at, { name, all, ...target }] of work.entries()) {
  const left = work.slice(at).reduce((sum, one) => sum + one.mutants.length, 0)
  // Each target may take its part of the time that is left.
  const share = Date.now() + ((until - Date.now()) * target.mutants.length) / left
  const startedAt = Date.now()
  try {
    tell(name, all, await wake(target, share), Math.round((Date.now() - startedAt) / 1000))
  } catch (error) {
    say(`${name}: ${error instanceof Error ? error.message : String(error)}`)
    process.exitCode = 1
  }
}

function tell(name: TargetName, all: readonly Known[], fates: ReadonlyMap<number, Fate>, seconds: number) {
  const of = (fate: Fate) => all.filter(({ id }) => fates.get(id) === fate)
  const [survived, unreached] = [of('survived'), of('unreached')]
  say(
    `${name}: ${fates.size} of ${all.length} mutants in ${seconds} s: ${of('killed').length} noticed, ` +
      `${survived.length} survived, ${unreached.length} in code that no test of the target reaches`,
  )
  for (const [fate, list] of [
    ['survived', survived],
    ['unreached', unreached],
  ] as const)
    for (const { place, change } of list.toSorted((a, b) => a.file.localeCompare(b.file) || a.line - b.line))
      say(`  ${fate} ${place} ${change}`)
}
