import { createRandom } from 'fake-proxmox/simulator/random'
import type { Settled } from './checks.ts'
import { createFindings, type FindingKind } from './findings.ts'
import type { Mutant } from './mutants.ts'
import { createProcesses } from './processes.ts'
import type { Kill } from './steps.ts'
import { runWorld } from './world.ts'

/** How a call was settled that was claimed and had no result when the server died, and whether it had done all it should. */
export type Interrupted = { settled: Settled; hadRun: boolean }
export type Tally = {
  kills: Map<string, number>
  calls: number
  requests: number
  interrupted: Interrupted[]
  /** Told as unknown at first, and found out when the operator had it checked again. */
  foundLater: number
  journalEntries: number
}
export type Report = Tally & Record<FindingKind, string[]>

const killsPerWorld = 25
const readyMs = 60_000
const perKillMs = 15_000

/**
 * Kills the server as planned, in worlds of their own of some kills each, and says all that did not hold. Ends in
 * bounded time, and leaves nothing behind.
 */
export async function runExperiment(options: {
  kills: readonly Kill[]
  seed: number
  mutant?: Mutant
  progress?(line: string): void
}): Promise<Report> {
  const { kills, seed, mutant, progress } = options
  const { find, lists } = createFindings()
  const processes = await createProcesses((how) => find('faults', how))
  const tally: Tally = { kills: new Map(), calls: 0, requests: 0, interrupted: [], foundLater: 0, journalEntries: 0 }
  const tooLate = setTimeout(
    () => {
      find('faults', 'it took too long and was given up')
      processes.close()
    },
    readyMs + kills.length * perKillMs,
  )
  try {
    for (let first = 0; first < kills.length; first += killsPerWorld) {
      const own = kills.slice(first, first + killsPerWorld)
      await runWorld({ kills: own, random: createRandom(seed + first), mutant, processes, find, tally })
      progress?.(`${first + own.length} of ${kills.length} kills`)
    }
  } catch (error) {
    find('faults', error instanceof Error ? (error.stack ?? error.message) : String(error))
  } finally {
    clearTimeout(tooLate)
    processes.close()
  }
  return { ...tally, ...lists() }
}
