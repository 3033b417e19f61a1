import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ClusterState, Task } from 'protocol'
import { openDataDir } from '../../src/config/data-dir.ts'
import { openDatabase } from '../../src/store/sqlite/database.ts'
import { switchCommandsOff } from '../support/checks-off.ts'
import { checkAtDeath, checkAtEnd } from './checks.ts'
import { readDatabase, readRequests } from './evidence.ts'
import type { Tally } from './experiment.ts'
import type { Find } from './findings.ts'
import { createJobs } from './jobs.ts'
import type { Mutant } from './mutants.ts'
import { createOperator } from './operator.ts'
import { type createProcesses, LifeEnded } from './processes.ts'
import { callFake } from './remote-homelab.ts'
import { acknowledgements, type ClientStep, type Kill, lateMs, stepOf } from './steps.ts'

/** A step that is not reached with so many messages is none that can be killed at. */
const mostMessages = 8

/** One data dir and one cluster, through many lives of the server. */
export async function runWorld(parts: {
  kills: readonly Kill[]
  random: () => number
  mutant: Mutant | undefined
  processes: Awaited<ReturnType<typeof createProcesses>>
  find: Find
  tally: Tally
}) {
  const { kills, random, mutant, processes, find, tally } = parts
  const dir = mkdtempSync(join(tmpdir(), 'jarvis-crash-'))
  const dataDir = join(dir, 'data')
  const database = openDatabase(join(openDataDir(dataDir), 'jarvis.db'))
  switchCommandsOff(database)
  database.close()
  const recordPath = join(dir, 'requests.jsonl')
  const jwtSecret = randomBytes(32).toString('hex')
  const cluster = await processes.startCluster(recordPath)
  const fake = (path: string, ...args: unknown[]) => callFake(cluster.url, path, args)
  const operator = createOperator(jwtSecret, find)
  const nextJob = createJobs(random, operator.jobs, (vmid) => fake('controls/failNextTask', vmid, 'got timeout'))
  const interrupted = new Set<string>()

  const start = (kill?: Kill) =>
    processes.startServer({
      dataDir,
      clusterUrl: cluster.url,
      jwtSecret,
      kill,
      mutant,
    })

  /** One life, which ends as `kill` says. @throws LifeEnded */
  async function liveUntil(kill: Kill) {
    const step = stepOf(kill)
    const life = await start(kill)
    operator.onAcknowledged = (event) => {
      if (acknowledgements[kill.at as ClientStep] === event) life.kill()
    }
    await operator.connect(life)
    if (step?.isLate === true) await fake('record/lateNext', lateMs)
    const timer = kill.at === 'moment' ? setTimeout(life.kill, kill.ms) : undefined
    try {
      for (let said = 0; said < mostMessages; said += 1) {
        await operator.say(await nextJob(said === 0 ? step?.job : undefined))
        await operator.settled()
      }
      find('faults', `never reached: ${JSON.stringify(kill)}`)
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
    do await operator.settled()
    while (operator.decideLeft() > 0)

    const verified = (await operator.fetch('GET', '/api/journal/verify')) as { ok: boolean }
    if (!verified.ok) find('faults', `the server finds its own journal broken: ${JSON.stringify(verified)}`)
    for (const entry of readDatabase(dataDir).entries) {
      if (entry.type !== 'tool_result' || entry.isUnknown !== true) continue
      const checked = (await operator.fetch('POST', `/api/executions/${entry.toolUseId}/check`)) as { outcome?: string }
      if (checked.outcome === 'done' || checked.outcome === 'failed') tally.foundLater += 1
      else if (checked.outcome !== 'unknown') find('faults', `a second look says ${JSON.stringify(checked)}`)
    }
    operator.disconnect()
    life.stop()
    const how = await Promise.race([
      life.ended,
      new Promise((late) => setTimeout(() => late('nothing'), 30_000).unref()),
    ])
    if (how !== 'exit 0') find('faults', `told to stop, the server ended with ${String(how)}`)
  }

  try {
    for (const kill of kills) {
      try {
        await liveUntil(kill)
      } catch (error) {
        if (!(error instanceof LifeEnded)) throw error
      }
      tally.kills.set(kill.at, (tally.kills.get(kill.at) ?? 0) + 1)
      const evidence = readDatabase(dataDir)
      for (const { toolUseId, settledAt } of evidence.executions) if (settledAt === null) interrupted.add(toolUseId)
      checkAtDeath(evidence, readRequests(recordPath), operator, find)
    }
    await liveToTheEnd()

    const evidence = readDatabase(dataDir)
    const requests = readRequests(recordPath)
    const { guests } = (await fake('record/state')) as ClusterState
    const { items: tasks } = (await fake('cluster/tasks', { limit: 10_000 })) as { items: Task[] }
    if ((await fake('record/effects')) !== requests.length) find('faults', 'the record is not what was done')
    tally.interrupted.push(...checkAtEnd(evidence, requests, operator, { tasks, guests }, interrupted, find))
    tally.calls += evidence.calls.length
    tally.requests += requests.length
    tally.journalEntries += evidence.journal.length
  } finally {
    operator.disconnect()
    cluster.end()
    rmSync(dir, { recursive: true, force: true })
  }
}
