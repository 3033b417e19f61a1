import { spawn } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildMissing } from './build.js'

/** `npm run test:night -- [--only PART]… [--minutes N]`: all that is too long for each change. Exit code 1 where a part is not well. */
const { values } = parseArgs({
  options: { only: { type: 'string', multiple: true }, minutes: { type: 'string', default: '90' } },
})

/** Files of tests that are for the night, and those that do more at night: properties, long tables, looks by axe. */
const files = ['jarvis-backend/src', 'jarvis-backend/test', 'jarvis-frontend/src', 'jarvis-frontend/test', 'packages']
  .flatMap((folder) => readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name))))
  .filter((path) => /\.test\.tsx?$/.test(path) && !path.includes('node_modules'))
const nightly = files.filter((path) => path.includes('.night.test.'))
const properties = files.filter((path) => /\/property-runs\.ts|findingsAtNight/.test(readFileSync(path, 'utf8')))

const tsx = (path, ...args) => [process.execPath, '--import', 'tsx', path, ...args]
const vitest = (paths) => [
  process.execPath,
  'node_modules/vitest/vitest.mjs',
  'run',
  '--config',
  'vitest.night.config.ts',
  ...paths,
]
const ofVitest = /Tests |FAIL |Error:|Counterexample|seed:/
const mutation = 'jarvis-backend/test/mutation/main.ts'
const crashTest = 'jarvis-backend/test/crash/main.ts'
const dojo = 'jarvis-backend/dojo/main.ts'

/**
 * The parts, of which two run at a time. `minutes`: the deadline of one. `finds`: lines of its output that the summary repeats. `mustFail`: the
 * command tries a mutant, which the crash test must catch.
 */
const parts = [
  { name: 'dojo', minutes: 60, command: tsx(dojo), finds: /without a person|not done|are enough/i },
  { name: 'mutation', minutes: 45, command: tsx(mutation, '--minutes', '40'), finds: /./ },
  { name: 'properties', minutes: 40, command: vitest(properties), finds: ofVitest, runs: '500' },
  { name: 'everyday', minutes: 15, command: tsx(dojo, '--everyday'), finds: /^everyday:|at most|away\.$|[A-Z]{4}:/ },
  { name: 'crash-test', minutes: 15, command: tsx(crashTest), finds: /^Seed|^[a-z ]+: |calls|journal|faults/ },
  ...['act-before-claim', 'recover-to-pending'].map((mutant) => ({
    name: `mutant ${mutant}`,
    minutes: 5,
    mustFail: true,
    finds: /^doubles: /,
    command: tsx(crashTest, '--kills', '1', '--at', 'request received', '--seed', '7', '--mutant', mutant),
  })),
  { name: 'night files', minutes: 15, command: vitest(nightly), finds: ofVitest },
].filter(({ name }) => values.only === undefined || values.only.includes(name))
if (parts.length === 0 || !(Number(values.minutes) > 0)) {
  console.error('There is no such part. Without --only all run; --minutes takes a number.')
  process.exit(2)
}

await buildMissing()
const logs = mkdtempSync(join(tmpdir(), 'jarvis-night-'))
const until = Date.now() + Number(values.minutes) * 60_000
const waiting = [...parts]
const results = new Map()
console.log(`${parts.length} parts, two at a time, at most ${values.minutes} minutes. Their output: ${logs}`)
const running = new Set()
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    for (const child of running) stop(child)
    setTimeout(() => process.exit(1), 11_000)
  })
await Promise.all([lane(), lane()])
for (const { name, finds } of parts) {
  const { how, seconds, text } = results.get(name)
  console.log(`\n${name}: ${how}, ${seconds} s`)
  for (const line of text.split('\n').filter((one) => finds.test(one))) console.log(`  ${line.trimEnd()}`)
}
const failed = parts.filter(({ name }) => !results.get(name).isWell).map(({ name }) => name)
console.log(failed.length === 0 ? '\nAll parts are well.' : `\nNot well: ${failed.join(', ')}.`)
process.exit(failed.length === 0 ? 0 : 1)

/** Runs one part after the other, as long as some wait. */
async function lane() {
  for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) {
    const { name, minutes } = part
    const left = Math.min(minutes * 60_000, until - Date.now())
    const result =
      left > 0 ? await run(part, left) : { how: 'NOT BEGUN, the time was over', seconds: 0, text: '', isWell: false }
    results.set(name, result)
    console.log(`${name}: ${result.how}, ${result.seconds} s`)
  }
}

/** Ends a part with all that it started: it is a group of processes of its own. One that does not hear the first word is killed. */
function stop({ pid }) {
  const send = (signal) => {
    try {
      process.kill(-pid, signal)
    } catch {
      // It ended by itself.
    }
  }
  send('SIGTERM')
  setTimeout(send, 10_000, 'SIGKILL').unref()
}

/** Runs a part, and stops it and all processes that it started at its deadline. */
function run({ name, command, runs, mustFail = false }, most) {
  const log = join(logs, `${name.replaceAll(' ', '-')}.log`)
  const startedAt = Date.now()
  const file = openSync(log, 'w')
  const env = { ...process.env, NO_COLOR: '1', ...(runs && { JARVIS_PROPERTY_RUNS: runs }) }
  const child = spawn(command[0], command.slice(1), { stdio: ['ignore', file, file], env, detached: true })
  closeSync(file)
  running.add(child)
  let isLate = false
  const deadline = setTimeout(() => {
    isLate = true
    stop(child)
  }, most)
  return new Promise((resolve) => {
    const end = (code) => {
      clearTimeout(deadline)
      running.delete(child)
      const isWell = !isLate && (mustFail ? code === 1 : code === 0)
      const failure = mustFail ? 'FAILED, the mutant was not caught' : `FAILED with ${code}`
      const how = isLate ? 'STOPPED at its deadline' : isWell ? 'well' : failure
      const seconds = Math.round((Date.now() - startedAt) / 1000)
      resolve({ how, seconds, text: readFileSync(log, 'utf8'), isWell })
    }
    child.on('error', () => end('no process'))
    child.on('close', end)
  })
}
