import type { HeartbeatReply, JobSlot } from 'protocol'
import { isPast, isWithin } from './hours.ts'
import type { JobStore, StoredJob, StoredSlot, Worker } from './job.ts'
import type { Shipped } from './jobs.ts'
import { midnightOf } from './zone.ts'

export const heartbeatId = 'job_heartbeat'
export const heartbeatFile = 'HEARTBEAT.md'
export const resultsFile = 'HEARTBEAT_RESULTS.md'

/**
 * The job that comes with JARVIS. The cap is what a day may cost at most where findings change all the time.
 * @param minutes between two beats
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

/** One finding of a look. Its `key` stays equal until something changes that matters to a person. */
export type Finding = { key: string; line: string }

export type HeartbeatParts = {
  store: JobStore
  /** The present findings of the checks, gravest first; `unseen` says in words what could not be looked at. Calls no model. */
  findings(): { items: readonly Finding[]; unseen: string | undefined }
  /** Lets the checks look before; for a beat by hand. */
  lookNow(): Promise<void>
  settings: { get(key: string): string | undefined; set(key: string, value: string): void }
  files: {
    /** Undefined where there is no such file. */
    read(path: string): string | undefined
    /** The last writer of this text of the file, or `unknown`. */
    writerOf(path: string, text: string): string
    /** Adds to a file of JARVIS's own words. */
    add(path: string, text: string): void
  }
  zone: string
  now(): number
}

/** `keys`: of the findings that the model was told of. `digestAt`: when it last had its digest. Unix ms. */
type Told = { keys: string[]; digestAt?: number }
const toldKey = 'heartbeat_told'

/** Looks at the findings, and calls a model only when they have changed, at the digest's hour, or by hand. */
export function createHeartbeat(parts: HeartbeatParts) {
  const { settings, files, zone, now } = parts
  const told = (): Told => JSON.parse(settings.get(toldKey) ?? '{"keys":[]}') as Told

  /** Why the model is called; undefined where it is not. */
  function reasonFor(job: StoredJob, slot: StoredSlot, keys: readonly string[]): string | undefined {
    if (slot.isByHand) return 'A person asked for it.'
    if (job.work.kind !== 'heartbeat' || !isWithin(job.work.activeHours, now(), zone)) return undefined
    const before = told()
    if (keys.join('\n') !== before.keys.join('\n')) return 'The findings have changed.'
    const { digestAt } = job.work
    const isDue = digestAt !== undefined && isPast(digestAt, now(), zone)
    return isDue && (before.digestAt ?? 0) < midnightOf(zone, now()) ? 'It is the hour of the digest.' : undefined
  }

  const worker: Worker = {
    isReading: () => true,
    async begin(job, slot, overBudget) {
      if (slot.isByHand) await parts.lookNow()
      const { items, unseen } = parts.findings()
      const keys = items.map(({ key }) => key).sort()
      const count =
        items.length === 0 ? 'Nothing found' : `${items.length} ${items.length === 1 ? 'finding' : 'findings'}`
      const seen = `${count}${unseen === undefined ? '' : `; not all was seen: ${unseen}`}`
      const why = reasonFor(job, slot, keys)
      if (why === undefined) return { state: 'done', summary: `${seen}. No model was called.` }
      if (overBudget !== undefined) return { state: 'done', summary: `${seen}. No model was called: ${overBudget}` }
      const own = files.read(heartbeatFile)
      const asked = own ?? usualWords
      const writtenBy = own === undefined ? undefined : files.writerOf(heartbeatFile, own)
      if (asked.trim() === '')
        return { state: 'done', summary: `${seen}. No model was called: ${heartbeatFile} is empty.` }
      const before = new Set(told().keys)
      const text = [
        `A scheduled look at what the checks found. ${why} What ${heartbeatFile} says:`,
        asked.trim(),
        `What the checks say now (${seen}):`,
        ...items.map(({ key, line }) => `- ${before.has(key) ? '' : 'NEW: '}${line}`),
        `${[...before].filter((key) => !keys.includes(key)).length} of the earlier findings are over.`,
      ].join('\n')
      settings.set(toldKey, JSON.stringify({ keys, digestAt: now() } satisfies Told))
      return { work: { kind: 'prompt', text, isForeign: true, ...(writtenBy !== undefined && { writtenBy }) } }
    },
    ended({ slot, state, summary = '', runId }) {
      if (runId === undefined) return
      files.add(resultsFile, `- ${new Date(slot).toISOString()} ${state}: ${summary}`)
    },
  }

  return {
    worker,
    /** Reply of `GET /api/heartbeat`. @param job as it is now; undefined before the first start @param shown a slot as whoever asks is shown it */
    reply(job: StoredJob | undefined, next: number | undefined, shown: (slot: JobSlot) => JobSlot): HeartbeatReply {
      const slots = job === undefined ? [] : parts.store.slots(job.id, { limit: 200 })
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
        next_run: next ?? null,
        tokens_today: today.reduce((sum, { tokens = 0 }) => sum + tokens, 0),
        cost_today_usd: costOf(today),
        tokens_per_day: job?.budget.tokensPerDay ?? 0,
      }
    },
  }
}

/** Null where the price of some tokens is not known. */
const costOf = (slots: readonly JobSlot[]): number | null =>
  slots.some(({ tokens = 0, costUsd }) => tokens > 0 && costUsd === undefined)
    ? null
    : slots.reduce((sum, { costUsd = 0 }) => sum + costUsd, 0)
