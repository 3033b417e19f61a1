import type { DoctorCheck, DoctorReply } from 'protocol'
import type { Config } from '../config/config.ts'
import { inspectCluster } from '../homelab/connect.ts'
import type { Clock } from '../lib/clock.ts'
import { hostChecks } from './address-checks.ts'
import { bad, badFrom, ok, warn } from './check.ts'
import { clusterChecks } from './cluster-checks.ts'
import { contextChecks } from './context-checks.ts'
import { dataChecks } from './data-checks.ts'
import { drillChecks } from './drill-checks.ts'
import { modelChecks } from './model-checks.ts'
import { sshChecks, wakeChecks } from './node-checks.ts'
import { pbsChecks } from './pbs-checks.ts'
import { proxyChecks } from './proxy-checks.ts'
import { searchChecks } from './search-checks.ts'
import { secretChecks } from './secret-checks.ts'
import { speechChecks } from './speech-checks.ts'
import { zoneChecks } from './zone-checks.ts'

/** Time limit for all checks, ms; the checks of a slow cluster are cut short and say so. */
const patienceMs = 45_000

export type Examination = {
  clock: Clock
  /** Where `.env` is looked for. Absent: it is not checked. */
  envPath?: string
  /** Whether the model's server is asked too. */
  asksModel: boolean
  /** Checks that differ inside a server and beside one. Each ends with the signal. */
  /** What a server has noticed since its start. */
  seen?(): DoctorCheck[]
  database(): Promise<DoctorCheck[]>
  embeddings(signal: AbortSignal): Promise<DoctorCheck[]>
  port(signal: AbortSignal): Promise<DoctorCheck[]>
  redact(text: string): string
}

/** Runs all checks in parallel, each with what to do. Changes nothing; never rejects. */
export async function examine(config: Config, parts: Examination): Promise<DoctorReply> {
  const at = parts.clock.now()
  const ending = new AbortController()
  const disarm = parts.clock.after(patienceMs, () => ending.abort(new Error('it took too long')))
  const { signal } = ending
  const guarded = async (area: string, work: () => DoctorCheck[] | Promise<DoctorCheck[]>): Promise<DoctorCheck[]> => {
    try {
      return await work()
    } catch (error) {
      return [badFrom(area, error, 'Try again; the log says more.')]
    }
  }
  try {
    const groups = await Promise.all([
      config.settingsProblems.length === 0
        ? [ok('Configuration', 'It can be read.')]
        : config.settingsProblems.map((problem) =>
            bad('Configuration', problem, 'Save it again in the dashboard, or correct the file.'),
          ),
      guarded('Cluster', () => homelabChecks(config, parts.clock, signal)),
      config.pbs === undefined
        ? []
        : guarded('Backup server', async () => (config.pbs === undefined ? [] : pbsChecks(config.pbs, signal))),
      config.search === undefined
        ? []
        : guarded('Web search', async () =>
            config.search === undefined ? [] : searchChecks(config.search, parts.clock, signal),
          ),
      config.modelProblems.map((lost) =>
        bad('Model', lost, 'Correct models.json in the data dir, or choose another model.'),
      ),
      parts.asksModel ? guarded('Model', () => modelChecks(config.model, signal)) : [],
      parts.asksModel ? guarded('Context', () => contextChecks(config.model, signal)) : [],
      parts.seen?.() ?? [],
      guarded('Embeddings', () => parts.embeddings(signal)),
      guarded('Speech', () => speechChecks(config.transcriptions, signal)),
      guarded('Proxy', () => proxyChecks(config)),
      guarded('Time zone', () => zoneChecks(config)),
      guarded('Data', () => dataChecks(config.dataDir, parts.envPath)),
      guarded('Secrets', () => secretChecks(config)),
      guarded('Database', parts.database),
      guarded('Address', () => hostChecks(config)),
      guarded('Port', () => parts.port(signal)),
    ])
    const checks = groups.flat().map(({ text, fix, ...check }) => ({
      ...check,
      text: parts.redact(text),
      ...(fix !== undefined && { fix: parts.redact(fix) }),
    }))
    return { ok: !checks.some(({ health }) => health === 'bad'), at, tookMs: parts.clock.now() - at, checks }
  } finally {
    disarm()
  }
}

/** The reply where the configuration cannot be used. */
export const unusable = (problem: string, at: number): DoctorReply => ({
  ok: false,
  at,
  tookMs: 0,
  checks: [bad('Configuration', problem, 'Mend it in .env (.env.example shows how), then run this again.')],
})

async function homelabChecks(config: Config, clock: Clock, signal: AbortSignal): Promise<DoctorCheck[]> {
  if (config.proxmox === undefined) {
    return [warn('Cluster', 'The built-in demo serves: no cluster is connected.', 'npm run jarvis -- setup')]
  }
  const seen = await inspectCluster(config.proxmox, { now: () => clock.now(), signal, tries: true })
  const checks = [
    ...clusterChecks(config.proxmox, seen),
    ...(await drillChecks(config.proxmox, config.drill, { clock, signal })),
  ]
  if (seen.nodes.length === 0) return checks
  return [...checks, ...(await sshChecks(config, seen.nodes, { clock, signal })), ...wakeChecks(config, seen.nodes)]
}
