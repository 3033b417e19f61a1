import type {
  Alert,
  AlertDetail,
  CheckRow,
  Job,
  JobTrace,
  MaintenanceWindow,
  PlanRun,
  RunbookCheck,
  RunbookText,
} from 'protocol'

/** Alerts, jobs and runbooks of a scene. */
export type WatchScene = {
  alerts?: AlertDetail[]
  ended?: Alert[]
  checks?: CheckRow[]
  windows?: MaintenanceWindow[]
  jobs?: Job[]
  stopped?: { by: string; at: number } | null
  traces?: JobTrace[]
  runbooks?: RunbookText[]
  check?: (text: string, inputs: Record<string, unknown> | undefined) => RunbookCheck
  plans?: PlanRun[]
}

/** The scene that the answers read and change. `changed` tells clients of a change; `sessionId`: the session that a job or a runbook starts. */
type Watched = { scene: WatchScene; sessionId: string | undefined; changed: (what: string) => void }

export type Asked = { method: string; path: string; body: unknown }
type Answer = { status: number; body: unknown }

const zone = 'Europe/Berlin'
const hourMs = 3_600_000
const found = (body: unknown): Answer => ({ status: 200, body })
const missing: Answer = { status: 404, body: { error: { code: 'not_found', message: 'There is no such thing.' } } }

export const isWatched = (path: string) => /^\/api\/(alerts|checks|windows|jobs|runbooks|plans)\b/.test(path)

/** Answers a request whose path `isWatched`. */
export function answerWatch(
  watched: Watched,
  { method, path, query, body }: Asked & { query: URLSearchParams },
): Answer {
  const { scene, sessionId, changed } = watched
  const [, , part, id, act, slot] = path.split('/').map(decodeURIComponent)
  const given = (body ?? {}) as Record<string, unknown>
  const now = Date.now()
  if (part === 'alerts') {
    const { alerts = [], ended = [] } = scene
    if (id === undefined) {
      const checks = { on: 25, cannotRun: scene.checks?.filter(({ state }) => state === 'cannot_run').length ?? 0 }
      return found({ items: alerts, now, checkedAt: now - 4_000, checks, ended: ended.length, silences: [] })
    }
    if (id === 'history') {
      const [check, before] = [query.get('check'), Number(query.get('before')?.split('.')[0] ?? 0)]
      const items = ended.filter((alert) => check === null || alert.check === check).slice(before, before + 50)
      const next = before + 50 < ended.length && check === null ? { next: `${before + 50}.x` } : {}
      return found({ items, ...next })
    }
    const alert = alerts.find((one) => one.id === id) ?? ended.find((one) => one.id === id)
    if (alert === undefined) return missing
    if (act === undefined) return found(alert)
    if (act === 'acknowledge') alert.acknowledged = { by: 'operator', at: now, ...noteOf(given) }
    if (act === 'unacknowledge') delete alert.acknowledged
    if (act === 'silence') alert.silenced = { by: 'operator', until: Number(given.until), ...noteOf(given) }
    if (act === 'unsilence') delete alert.silenced
    changed('alerts')
    return found(alert)
  }
  if (part === 'checks') {
    const check = scene.checks?.find((one) => one.id === id)
    if (method === 'PATCH' && check !== undefined) {
      check.state = given.isOff === true ? 'off' : 'unknown'
      changed('alerts')
    }
    return found({ items: scene.checks ?? [], problems: [] })
  }
  if (part === 'windows') {
    const { windows = [] } = scene
    scene.windows = windows
    if (method === 'POST') windows.push({ id: `win_${windows.length}`, by: 'operator', ...given } as MaintenanceWindow)
    if (method === 'DELETE') scene.windows = windows.filter((one) => one.id !== id)
    if (method !== 'GET') changed('alerts')
    return found({ items: scene.windows })
  }
  if (part === 'jobs') return answerJobs(watched, { method, id, act, slot, given })
  if (part === 'runbooks') {
    const { runbooks = [] } = scene
    scene.runbooks = runbooks
    if (id === undefined) return found({ items: runbooks })
    if (id === 'check') {
      return found(scene.check?.(String(given.text), given.inputs as Record<string, unknown> | undefined))
    }
    const at = runbooks.findIndex(({ name }) => name === id)
    const known = runbooks[at]
    if (act === 'run') return found({ sessionId })
    if (method === 'PUT') {
      if (known !== undefined && given.hash !== known.hash) {
        return { status: 409, body: { error: { code: 'conflict', message: 'lena saved it 2 min ago.' } } }
      }
      const text = String(given.text)
      const checked = scene.check?.(text, undefined).runbook
      const saved = { ...known, ...checked, name: id, text, hash: `hash of ${text.length}` } as RunbookText
      if (known === undefined) runbooks.push(saved)
      else runbooks[at] = saved
      changed('runbooks')
      return found(saved)
    }
    if (method === 'DELETE') {
      runbooks.splice(at, 1)
      changed('runbooks')
      return found({})
    }
    return known === undefined ? missing : found(known)
  }
  if (part === 'plans') {
    const plan = scene.plans?.find((one) => one.id === id)
    if (id === undefined) return found({ items: scene.plans ?? [] })
    if (plan === undefined) return missing
    if (act === 'stop') changed('runbooks')
    return found(plan)
  }
  return missing
}

const noteOf = ({ note }: Record<string, unknown>) => (typeof note === 'string' ? { note } : {})

type JobAsked = {
  method: string
  id: string | undefined
  act: string | undefined
  slot: string | undefined
  given: Record<string, unknown>
}

function answerJobs({ scene, sessionId, changed }: Watched, { method, id, act, slot, given }: JobAsked): Answer {
  const { jobs = [] } = scene
  scene.jobs = jobs
  const now = Date.now()
  if (id === 'stop' || id === 'start') {
    scene.stopped = id === 'stop' ? { by: 'operator', at: now } : null
    changed('jobs')
    return found({})
  }
  if (id === 'preview') {
    const { schedule } = given as { schedule: Job['schedule'] }
    if (schedule.kind === 'cron' && schedule.line.split(' ').length !== 5) {
      return { status: 400, body: { error: { code: 'invalid_request', message: 'A cron line has five fields.' } } }
    }
    return found({ words: 'daily at 20:11', next: [1, 2, 3, 4, 5].map((day) => now + day * 24 * hourMs) })
  }
  if (id === undefined) {
    if (method === 'POST') {
      const job = { ...given, id: `job_${jobs.length}`, words: 'daily at 20:11', state: 'active', by: 'operator' }
      jobs.push({ ...job, createdAt: now, next: [now + hourMs], last: [], failures: 0 } as unknown as Job)
      changed('jobs')
      return found(jobs.at(-1))
    }
    return found({ items: jobs, stopped: scene.stopped ?? null, zone, now })
  }
  const job = jobs.find((one) => one.id === id)
  if (job === undefined) return missing
  if (act === 'run') return found({ sessionId })
  if (act === 'slots') {
    const traces = scene.traces?.filter((one) => one.jobId === id) ?? []
    if (slot === undefined) return found({ items: traces.map(({ steps: _, said: __, ...row }) => row) })
    return found(traces.find((one) => String(one.slot) === slot))
  }
  if (method === 'PATCH') {
    const { isPaused, ...rest } = given
    Object.assign(job, rest)
    const paused = { by: 'operator', at: now, why: 'by hand' }
    if (isPaused === true) Object.assign(job, { state: 'paused', next: [], paused })
    if (isPaused === false) {
      job.state = 'active'
      delete job.paused
    }
    changed('jobs')
  }
  if (method === 'DELETE') {
    scene.jobs = jobs.filter((one) => one !== job)
    changed('jobs')
  }
  return found(job)
}
