import type { HeartbeatReply, JobsReply } from 'protocol'
import { expect, onTestFinished, test } from 'vitest'
import {
  type Finding,
  Heartbeat,
  heartbeatFile,
  heartbeatId,
  heartbeatJob,
  resultsFile,
} from '../src/jobs/heartbeat.ts'
import type { JobRuns, Standing } from '../src/jobs/job.ts'
import { Jobs } from '../src/jobs/jobs.ts'
import { JobSwitches } from '../src/jobs/switches.ts'
import { WorkKinds } from '../src/jobs/work-kinds.ts'
import { openDatabase } from '../src/store/sqlite/database.ts'
import { SqliteJobStore } from '../src/store/sqlite/jobs.ts'
import { SqliteSettings } from '../src/store/sqlite/settings.ts'
import { createFakeClock } from './support/fake-clock.ts'
import { says, scripted } from './support/scripted-model.ts'
import { startJarvis } from './support/start-jarvis.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
const midnight = Date.UTC(2026, 10, 23)

/** A heartbeat over findings that a test sets; each run of a model ends at once. */
function beating() {
  const clock = createFakeClock(midnight)
  const database = openDatabase(':memory:')
  onTestFinished(() => void database.close())
  const [settings, store] = [new SqliteSettings(database), new SqliteJobStore(database)]
  const asked: string[] = []
  const files = new Map([[heartbeatFile, 'Say what changed.']])
  const state = { findings: [] as Finding[], unseen: undefined as string | undefined, tokens: 100 }
  const ended: Standing = { state: 'done', summary: 'All is said.', tokens: 0, costUsd: 0.01 }
  const runs: JobRuns = {
    start({ work, link }) {
      asked.push(work.kind === 'prompt' ? work.text : '')
      expect(work.isForeign).toBe(true)
      link({ sessionId: `ses_${asked.length}`, runId: `run_${asked.length}` })
    },
    follow: (_run, tell) => tell({ ...ended, tokens: state.tokens }),
    standing: () => undefined,
    stop() {},
    remove() {},
  }
  const heartbeat = new Heartbeat({
    store,
    settings,
    zone: 'UTC',
    now: clock.now,
    findings: { present: () => ({ items: state.findings, unseen: state.unseen }), lookNow: async () => {} },
    files: {
      read: (path) => files.get(path),
      writerOf: () => 'per_operator',
      add: (path, text) => void files.set(path, `${files.get(path) ?? ''}${text}\n`),
    },
  })
  const announced: string[] = []
  const used = () => store.slots(heartbeatId, { limit: 500 }).reduce((sum, { tokens = 0 }) => sum + tokens, 0)
  const calls = { isReading: () => true, refusal: () => undefined }
  const journal = { append() {} }
  const jobs = new Jobs({
    store,
    runs,
    clock,
    journal,
    zone: 'UTC',
    shipped: [heartbeatJob()],
    switches: new JobSwitches({ store, settings, journal, transactions: database, now: clock.now }),
    kinds: new WorkKinds(calls, { heartbeat }),
    transactions: database,
    isStopping: () => false,
    redact: (text: string) => text,
    makers: { problem: () => undefined },
    approvals: { approvedUntil: () => undefined },
    guests: { of: () => undefined, problem: () => undefined },
    budget: { usedUp: () => (used() < 100_000 ? undefined : `It has used ${used()} tokens.`) },
    teller: { announce: (text) => void announced.push(text), ended() {}, changed() {} },
    report(error) {
      throw error
    },
  })
  jobs.start()
  onTestFinished(() => jobs.stop())
  const slots = () => store.slots(heartbeatId, { limit: 500 }).reverse()
  const beat = (times = 1) => clock.advance(times * 30 * minuteMs)
  return {
    clock,
    jobs,
    asked,
    files,
    state,
    slots,
    beat,
    announced,
    store,
    reply: () => heartbeat.reply(jobs.get(heartbeatId), (slot) => slot),
  }
}
const hot: Finding = { key: 'heat node/pve look', line: 'look: pve is at 81 °C.' }

test('a quiet day has 48 beats and calls no model', async () => {
  const { asked, slots, beat, reply } = beating()
  await beat(48)
  expect(slots().map(({ state }) => state)).toEqual(Array.from({ length: 48 }, () => 'done'))
  expect(asked).toEqual([])
  expect(reply()).toMatchObject({
    enabled: true,
    interval: 30,
    last_result: 'Nothing found. No model was called.',
    tokens_today: 0,
    cost_today_usd: 0,
    has_heartbeat_file: true,
    tokens_per_day: 300_000,
  })
})

test('a model is called when findings begin and when they end, and not between', async () => {
  const { asked, state, slots, beat, files } = beating()
  await beat(2)
  state.findings = [hot]
  await beat(3)
  expect(asked).toEqual([
    [
      'A scheduled look at what the checks found. The findings have changed. What HEARTBEAT.md says:',
      'Say what changed.',
      'What the checks say now (1 finding):',
      '- NEW: look: pve is at 81 °C.',
      '0 of the earlier findings are over.',
    ].join('\n'),
  ])
  expect(slots().map(({ tokens }) => tokens)).toEqual([undefined, undefined, 100, undefined, undefined])
  expect(files.get(resultsFile)).toBe('- 2026-11-23T01:30:00.000Z done: All is said.\n')
  state.findings = []
  await beat()
  expect(asked[1]).toContain('1 of the earlier findings are over.')
})

test('outside of its hours and with an empty file no model is called; a digest is once a day', async () => {
  const { asked, jobs, state, beat, files, clock } = beating()
  jobs.change(heartbeatId, { work: { kind: 'heartbeat', activeHours: '06:00-22:00', digestAt: '08:00' } }, 'ana')
  state.findings = [hot]
  await beat(11)
  expect(asked).toEqual([])
  await beat()
  expect(asked).toHaveLength(1)
  await beat(36)
  expect(asked).toHaveLength(1)
  // The next day's digest, though nothing changed.
  await clock.advance(midnight + dayMs + 8 * 60 * minuteMs - clock.now())
  expect(asked).toHaveLength(2)
  expect(asked[1]).toContain('It is the hour of the digest.')
  await beat(10)
  expect(asked).toHaveLength(2)
  files.set(heartbeatFile, ' \n')
  state.findings = []
  await beat()
  expect(asked).toHaveLength(2)
})

test('the day’s cap ends the calls and not the looks, and what could not be seen is said', async () => {
  const { asked, state, beat, slots, announced } = beating()
  state.tokens = 60_000
  for (const count of [1, 2, 3]) {
    state.findings = Array.from({ length: count }, (_, n) => ({ ...hot, key: `heat ${n}` }))
    await beat()
  }
  expect(asked).toHaveLength(2)
  expect(slots().at(-1)).toMatchObject({
    state: 'done',
    summary: '3 findings. No model was called: It has used 120000 tokens.',
  })
  state.unseen = 'zfs-pool'
  await beat()
  expect(announced).toEqual(['Job Heartbeat: It has used 120000 tokens. No model of it is called any more today.'])
  expect(slots().at(-1)?.summary).toMatch(/^3 findings; not all was seen: zfs-pool\. No model/)
})

test('it is one of the jobs, and is switched and run over REST', async () => {
  const jarvis = await startJarvis({ model: scripted(says('Two disks are full.')), env: { JARVIS_TITLES: 'off' } })
  const post = async (act: string) =>
    (await jarvis.rest(`/api/heartbeat/${act}`, { method: 'POST' })).json() as Promise<HeartbeatReply>
  const reply = async () => (await (await jarvis.rest('/api/heartbeat')).json()) as HeartbeatReply
  expect(await reply()).toMatchObject({ enabled: true, interval: 30, has_heartbeat_file: false, last_run: null })
  expect(await post('stop')).toMatchObject({ enabled: false, next_run: null })
  expect(await post('start')).toMatchObject({ enabled: true, next_run: expect.any(Number) })
  expect(await post('run')).toMatchObject({ is_running: true })
  await expect.poll(async () => (await reply()).last_result).toBe('Two disks are full.')
  expect(await reply()).toMatchObject({ is_running: false, tokens_today: 20 })
  const { items } = (await (await jarvis.rest('/api/jobs')).json()) as JobsReply
  expect(items.map(({ id, isShipped, next }) => [id, isShipped, next.length])).toEqual([
    ['job_drill', true, 5],
    ['job_heartbeat', true, 5],
  ])
  const results = await jarvis.rest('/api/memory/files/HEARTBEAT_RESULTS.md')
  expect(((await results.json()) as { text: string }).text).toContain('Two disks are full.')
})
