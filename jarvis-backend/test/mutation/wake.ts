import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Work } from './work.ts'

/** `killed`: a test failed, or the tests went on without end. `unreached`: no test runs that code. */
export type Fate = 'killed' | 'survived' | 'unreached'

const config = fileURLToPath(new URL('./vitest.mutation.config.ts', import.meta.url))
const vitest = fileURLToPath(new URL('../../../node_modules/vitest/vitest.mjs', import.meta.url))
/** A mutant whose tests say nothing for so long never ends. */
const patienceMs = 90_000
/** The first files of tests are read and compiled on a busy machine. */
const startMs = 300_000

/**
 * Wakes mutants one after the other in processes of tests, until all are tried or the time is over.
 * @param until Unix ms @returns the fate of each mutant that was tried @throws Error if the tests fail or hang without a mutant
 */
export async function wake({ tests, files, mutants }: Omit<Work, 'report'>, until: number): Promise<Map<number, Fate>> {
  const fates = new Map<number, Fate>()
  const folder = mkdtempSync(join(tmpdir(), 'jarvis-mutation-'))
  try {
    for (let round = 0; Date.now() < until; round += 1) {
      const left = mutants.filter((id) => !fates.has(id))
      if (left.length === 0) break
      const report = join(folder, `report-${round}`)
      const work: Work = { report, tests, files, mutants: left }
      const path = join(folder, `work-${round}`)
      writeFileSync(report, '')
      writeFileSync(path, JSON.stringify(work))
      const { output, isStopped } = await runTests(path, report, until)
      const lines = linesOf(report)
      for (const { ended, isKilled, isReached } of lines)
        if (ended !== undefined) fates.set(ended, isKilled ? 'killed' : isReached ? 'survived' : 'unreached')
      if (lines.some(({ done }) => done)) break
      if (Date.now() >= until) break
      const begun = lines.at(-1)?.begun
      if (begun === undefined)
        throw new Error(
          isStopped ? `The tests after ${lines.at(-1)?.looked} never end.` : `The tests fail by themselves:\n${output}`,
        )
      // The process was stopped in this one, or died of it.
      fates.set(begun, 'killed')
    }
    return fates
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

type Line = { looked?: string; begun?: number; ended?: number; isKilled?: boolean; isReached?: boolean; done?: boolean }
const linesOf = (path: string): Line[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.endsWith('}'))
    .map((line) => JSON.parse(line) as Line)

/** Runs one process of tests to its end, to the time's, or until it says nothing any more. */
function runTests(work: string, report: string, until: number): Promise<{ output: string; isStopped: boolean }> {
  return new Promise((resolve, reject) => {
    let output = ''
    let isStopped = false
    const child = spawn(process.execPath, [vitest, 'run', '--config', config], {
      env: { ...process.env, JARVIS_MUTATION_WORK: work },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text) => (output = (output + text).slice(-4_000)))
    const leave = () => stop(child)
    process.once('exit', leave)
    let [size, since] = [0, Date.now()]
    const watch = setInterval(() => {
      const now = readFileSync(report).length
      if (now !== size) [size, since] = [now, Date.now()]
      const most = size === 0 ? startMs : patienceMs
      if (Date.now() < until && Date.now() - since < most) return
      isStopped = true
      stop(child)
    }, 500)
    child.on('error', reject)
    child.on('close', () => {
      clearInterval(watch)
      process.off('exit', leave)
      resolve({ output, isStopped })
    })
  })
}

/** Ends a process and its workers, which a loop without end keeps from hearing anything. */
function stop({ pid }: ChildProcess) {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It ended by itself.
  }
}
