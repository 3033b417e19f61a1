import type { HeartbeatReply, Job, JobSlot } from 'protocol'
import { isPast, isWithin } from './hours.ts'
import type { Begun, JobStore, Shipped, StoredJob, StoredSlot, Worker } from './job.ts'
import { midnightOf } from './zone.ts'

export const heartbeatId = 'job_heartbeat'
export const heartbeatFile = 'HEARTBEAT.md'
export const resultsFile = 'HEARTBEAT_RESULTS.md'

/**
 * The heartbeat job that comes with JARVIS. The budget limits the cost of a day on which findings change all the time.
 * @param minutes the interval
 */
export const heartbeatJob = (minutes = 30): Shipped => ({
  id: heartbeatId,
  name: 'Heartbeat',
  work: { kind: 'heartbeat' },
  schedule: { kind: 'interval', minutes },
  budget: { tokensPerRun: 150_000, tokensPerDay: 300_000 },
})

/** The instructions to the model if there is no HEARTBEAT.md. */
const usualWords = `Say in at most five lines what changed, what it means, and what to do. Look closer only where a finding needs it. Change
nothing.`

/** One finding of the checks. Its `key` stays the same until something changes that matters to a person. */
export type Finding = { key: string; line: string }

/** The findings of the checks. */
export interface Findings {
  /** The present findings, most severe first. `unseen` names the checks that could not measure. Calls no model. */
  present(): { items: readonly Finding[]; unseen: string | undefined }
  /** Runs all checks now. */
  lookNow(): Promise<void>
}

/** The files of the workspace that a heartbeat uses. */
export interface HeartbeatFiles {
  /** Reads a file; undefined if there is no such file. */
  read(path: string): string | undefined
  /** Returns the person who last wrote this text of the file, or `unknown`. */
  writerOf(path: string, text: string): string
  /** Appends to a file that holds JARVIS's own text. */
  add(path: string, text: string): void
}

export type HeartbeatParts = {
  store: Pick<JobStore, 'slots'>
  findings: Findings
  settings: { get(key: string): string | undefined; set(key: string, value: string): void }
  files: HeartbeatFiles
  zone: string
  now(): number
}

/** `keys`: the findings that the model was last given. `digestAt`: the time of the last digest, Unix ms. */
type Told = { keys: string[]; digestAt?: number }
const toldKey = 'heartbeat_told'

/** Compares the checks' findings with the last ones. Calls a model only if they have changed, at the digest's hour, or if a person starts it. */
export class Heartbeat implements Worker {
  readonly #parts: HeartbeatParts

  constructor(parts: HeartbeatParts) {
    this.#parts = parts
  }

  isReading(): boolean {
    return true
  }

  async begin(job: StoredJob, slot: StoredSlot, overBudget: string | undefined): Promise<Begun> {
    const { findings, files, settings, now } = this.#parts
    if (slot.isByHand) await findings.lookNow()
    const { items, unseen } = findings.present()
    const keys = items.map(({ key }) => key).sort()
    const seen = seenWords(items.length, unseen)
    const why = this.#reasonFor(job, slot, keys)
    if (why === undefined) return { state: 'done', summary: `${seen}. No model was called.` }
    if (overBudget !== undefined) return { state: 'done', summary: `${seen}. No model was called: ${overBudget}` }
    const own = files.read(heartbeatFile)
    const asked = own ?? usualWords
    const writtenBy = own === undefined ? undefined : files.writerOf(heartbeatFile, own)
    if (asked.trim() === '')
      return { state: 'done', summary: `${seen}. No model was called: ${heartbeatFile} is empty.` }
    const before = new Set(this.#told().keys)
    const text = [
      `A scheduled look at what the checks found. ${why} What ${heartbeatFile} says:`,
      asked.trim(),
      `What the checks say now (${seen}):`,
      ...items.map(({ key, line }) => `- ${before.has(key) ? '' : 'NEW: '}${line}`),
      `${[...before].filter((key) => !keys.includes(key)).length} of the earlier findings are over.`,
    ].join('\n')
    settings.set(toldKey, JSON.stringify({ keys, digestAt: now() } satisfies Told))
    return { work: { kind: 'prompt', text, isForeign: true, writtenBy } }
  }

  ended({ slot, state, summary = '', runId }: StoredSlot): void {
    if (runId === undefined) return
    this.#parts.files.add(resultsFile, `- ${new Date(slot).toISOString()} ${state}: ${summary}`)
  }

  /**
   * Reply of `GET /api/heartbeat`.
   * @param job the heartbeat's job; undefined before the first start
   * @param shown filters a slot for the person who asks
   */
  reply(job: Job | undefined, shown: (slot: JobSlot) => JobSlot): HeartbeatReply {
    const { store, files, zone, now } = this.#parts
    const slots = job === undefined ? [] : store.slots(job.id, { limit: 200 })
    const last = slots.find(({ endedAt, startedAt }) => endedAt !== undefined && startedAt !== undefined)
    const today = slots.filter(({ slot }) => slot >= midnightOf(zone, now()))
    return {
      enabled: job?.state === 'active',
      interval: job?.schedule.kind === 'interval' ? job.schedule.minutes : 0,
      is_running: slots.some(({ endedAt }) => endedAt === undefined),
      last_run: last?.slot ?? null,
      last_result: (last && shown(last).summary) ?? null,
      heartbeat_file: heartbeatFile,
      has_heartbeat_file: files.read(heartbeatFile) !== undefined,
      next_run: job?.next[0] ?? null,
      tokens_today: today.reduce((sum, { tokens = 0 }) => sum + tokens, 0),
      cost_today_usd: costOf(today),
      tokens_per_day: job?.budget.tokensPerDay ?? 0,
    }
  }

  /** The reason why the model is called now; undefined if it is not called. */
  #reasonFor(job: StoredJob, slot: StoredSlot, keys: readonly string[]): string | undefined {
    const { zone, now } = this.#parts
    if (slot.isByHand) return 'A person asked for it.'
    if (job.work.kind !== 'heartbeat' || !isWithin(job.work.activeHours, now(), zone)) return undefined
    const before = this.#told()
    if (keys.join('\n') !== before.keys.join('\n')) return 'The findings have changed.'
    const { digestAt } = job.work
    const isDue = digestAt !== undefined && isPast(digestAt, now(), zone)
    return isDue && (before.digestAt ?? 0) < midnightOf(zone, now()) ? 'It is the hour of the digest.' : undefined
  }

  #told(): Told {
    return JSON.parse(this.#parts.settings.get(toldKey) ?? '{"keys":[]}') as Told
  }
}

function seenWords(count: number, unseen: string | undefined): string {
  const found = count === 0 ? 'Nothing found' : `${count} ${count === 1 ? 'finding' : 'findings'}`
  return `${found}${unseen === undefined ? '' : `; not all was seen: ${unseen}`}`
}

/** Sums up the costs of slots; null if the price of some tokens is not known. */
const costOf = (slots: readonly JobSlot[]): number | null =>
  slots.some(({ tokens = 0, costUsd }) => tokens > 0 && costUsd === undefined)
    ? null
    : slots.reduce((sum, { costUsd = 0 }) => sum + costUsd, 0)
