import { parseArgs } from 'node:util'
import { createRandom } from 'fake-proxmox/simulator/random'
import { runExperiment } from './experiment.ts'
import { type Mutant, mutants } from './mutants.ts'
import { namedSteps, planKills } from './steps.ts'
import { isClean, summaryOf } from './summary.ts'

/** `npm run crash-test -- [--kills N] [--seed N] [--at STEP] [--mutant NAME]`: exit code 1 where anything was lost, doubled or broken. */
const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '50' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    at: { type: 'string' },
    mutant: { type: 'string' },
  },
})
const say = (text: string) => void process.stdout.write(`${text}\n`)
const isMutant = (name: string): name is Mutant => Object.hasOwn(mutants, name)

const [kills, seed] = [Number(values.kills), Number(values.seed)]
const { mutant, at } = values
const step = namedSteps.find((name) => name === at)
if (!Number.isInteger(kills) || kills < 1 || !Number.isInteger(seed) || (mutant !== undefined && !isMutant(mutant))) {
  say(`--kills and --seed take whole numbers, --mutant one of ${Object.keys(mutants).join(', ')}.`)
  process.exit(2)
}
if (at !== undefined && step === undefined) {
  say(`--at takes one of: ${namedSteps.join('; ')}.`)
  process.exit(2)
}
say(`Seed ${seed}: --seed ${seed} makes the same kills and messages.`)
const startedAt = Date.now()
const report = await runExperiment({
  kills:
    step === undefined ? planKills(kills, createRandom(seed)) : Array.from({ length: kills }, () => ({ at: step })),
  seed,
  progress: say,
  mutant,
})
say(summaryOf(report))
say(`${Math.round((Date.now() - startedAt) / 1000)} s.`)
process.exit(isClean(report) ? 0 : 1)
