import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRandom } from '../../src/homelab/simulator/random.ts'
import type { ClusterState, Task } from '../../src/protocol/index.ts'
import { checkAtDeath, checkAtEnd, type Findings, noFindings, type Settled } from './checks.ts'
import { readDatabase, readRequests } from './evidence.ts'
import { createJobs } from './jobs.ts'
import type { Mutant } from './mutants.ts'
import { createOperator } from './operator.ts'
import { createProcesses, type Life, LifeEnded } from './processes.ts'
import { callFake } from './remote-homelab.ts'
import { acknowledgements, type ClientStep, type Kill, lateMs } from './steps.ts'

export type Report = {
  kills: Map<string, number>
  calls: number
  requests: number
  doubles: string[]
  lostDecisions: string[]
  lostCards: string[]
  lostMessages: string[]
  interrupted: { settled: Settled; hadRun: boolean }[]
  journalEntries: number
  violations: string[]
}
type Options = { kills: readonly Kill[]; seed: number; mutant?: Mutant; progress?(line: string): void }

/** A step that is not reached with so many messages is none that can be killed at. */
const mostMessages = 8
const killsPerWorld = 25
const readyMs = 20_000
const perKillMs = 5_000

/** Kills the server as planned, in worlds of their own of some kills each. Ends in bounded time, and leaves nothing behind. */
export async function runExperiment({ kills, seed, mutant, progress }: Options): Promise<Report> {
  const processes = createProcesses()
  const found = noFindings()
  const report: Report = {
    kills: new Map(),
    calls: 0,
    requests: 0,
    doubles: [],
    lostDecisions: [],
    lostCards: [],
    lostMessages: [],
    interrupted: [],
    journalEntries: 0,
    violations: [],
  }
  const tooLate = setTimeout(
    () => {
      found.violations.add('it took too long and was given up')
      processes.close()
    },
    readyMs + kills.length * perKillMs,
  )
  try {
    for (let first = 0; first < kills.length; first += killsPerWorld) {
      const own = kills.slice(first, first + killsPerWorld)
      await runWorld({ kills: own, random: createRandom(seed + first), mutant, processes, found, report })
      progress?.(`${Math.min(first + killsPerWorld, kills.length)} of ${kills.length} kills`)
    }
  } catch (error) {
    found.violations.add(error instanceof Error ? (error.stack ?? error.message) : String(error))
  } finally {
    clearTimeout(tooLate)
    processes.close()
  }
  return { ...report, ...(Object.fromEntries(Object.entries(found).map(([name, set]) => [name, [...set]])) as Lists) }
}
type Lists = { [Name in keyof Findings]: string[] }

/** One data dir and one cluster, through many lives of the server. */
async function runWorld(world: {
  kills: readonly Kill[]
  random: () => number
  mutant: Mutant | undefined
  processes: ReturnType<typeof createProcesses>
  found: Findings
  report: Report
}) {
  const { kills, random, mutant, processes, found, report } = world
  const dir = mkdtempSync(join(tmpdir(), 'jarvis-crash-'))
  const dataDir = join(dir, 'data')
  const recordPath = join(dir, 'requests.jsonl')
  const jwtSecret = randomBytes(32).toString('hex')
  const cluster = await processes.startCluster(recordPath)
  const fake = (path: string, ...args: unknown[]) => callFake(cluster.url, path, args)
  const operator = createOperator(jwtSecret, (text) => found.violations.add(text))
  const nextJob = createJobs(random, operator.jobs, (vmid) => fake('controls/failNextTask', vmid, 'got timeout'))
  const interrupted = new Set<string>()

  const start = (kill?: Kill) =>
    processes.startServer({
      dataDir,
      clusterUrl: cluster.url,
      jwtSecret,
      ...(kill !== undefined && { kill }),
      ...(mutant !== undefined && { mutant }),
    })

  /** One life, which ends as `kill` says. */
  async function liveUntil(kill: Kill) {
    if (kill.at === 'request sent, arriving late') await fake('record/lateNext', lateMs)
    const life = await start(kill)
    operator.onAcknowledged = (event) => {
      if (acknowledgements[kill.at as ClientStep] === event) life.kill()
    }
    await operator.connect(life)
    const timer = kill.at === 'moment' ? setTimeout(life.kill, kill.ms) : undefined
    try {
      for (let said = 0; said < mostMessages; said += 1) {
        await operator.say(await nextJob())
        await operator.rest()
      }
      found.violations.add(`never reached: ${JSON.stringify(kill)}`)
      life.kill()
      await life.ended
    } finally {
      clearTimeout(timer)
    }
  }

  /** The last life: everything is answered, and the server ends when it is told to. */
  async function liveToTheEnd() {
    const life = await start()
    operator.onAcknowledged = () => {}
    await operator.connect(life)
    do await operator.rest()
    while (operator.decideLeft() > 0)
    operator.disconnect()
    life.stop()
    const how = await endOf(life)
    if (how !== 'exit 0') found.violations.add(`told to stop, the server ended with ${how}`)
  }

  try {
    for (const kill of kills) {
      try {
        await liveUntil(kill)
      } catch (error) {
        if (!(error instanceof LifeEnded)) throw error
      }
      report.kills.set(kill.at, (report.kills.get(kill.at) ?? 0) + 1)
      const evidence = readDatabase(dataDir)
      for (const { toolUseId, settledAt } of evidence.executions) if (settledAt === null) interrupted.add(toolUseId)
      checkAtDeath(evidence, readRequests(recordPath), operator, found)
    }
    await liveToTheEnd()

    const evidence = readDatabase(dataDir)
    const requests = readRequests(recordPath)
    const { guests } = (await fake('record/state')) as ClusterState
    const { items: tasks } = (await fake('cluster/tasks', { limit: 10_000 })) as { items: Task[] }
    if ((await fake('record/effects')) !== requests.length) found.violations.add('the record is not what was done')
    report.interrupted.push(...checkAtEnd(evidence, requests, operator, { tasks, guests }, interrupted, found))
    report.calls += evidence.calls.length
    report.requests += requests.length
    report.journalEntries += evidence.journal.length
  } finally {
    operator.disconnect()
    cluster.end()
    rmSync(dir, { recursive: true, force: true })
  }
}

const endOf = (life: Life) =>
  Promise.race([life.ended, new Promise<string>((late) => setTimeout(() => late('nothing in 10 s'), 10_000).unref())])
