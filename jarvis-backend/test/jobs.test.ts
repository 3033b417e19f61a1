import type {
  Card,
  ConfirmationRow,
  Grant,
  Job,
  JobSlot,
  JobsReply,
  JobTrace,
  JournalPage,
  Page,
  ProofsReply,
  SessionsPage,
} from 'protocol'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { noTarget } from '../src/gate/effect.ts'
import { defineTool } from '../src/tools/tool.ts'
import { jarvisHere } from './support/command-here.ts'
import { createSkippingClock } from './support/fake-clock.ts'
import { calls, says, scripted } from './support/scripted-model.ts'
import { startJarvis, type TestJarvis } from './support/start-jarvis.ts'

const minuteMs = 60_000
const call = (toolName: string, toolInput: object = {}) => ({ kind: 'call', toolName, toolInput })
const every = (minutes: number) => ({ kind: 'interval', minutes })
const restart103 = call('restart_vm', { vmid: 103 })

/** A server whose jobs are looked at when a test moves its clock. */
async function withJobs(options: Parameters<typeof startJarvis>[0] = {}) {
  const clock = createSkippingClock()
  const jarvis = await startJarvis({ clock, ...options })
  const ask = async <T>(path: string, init: Parameters<TestJarvis['rest']>[1] = {}): Promise<T> =>
    (await (await jarvis.rest(path, init)).json()) as T
  const post = (path: string, json: object = {}) => jarvis.rest(path, { method: 'POST', json })
  return {
    jarvis,
    ask,
    post,
    make: async (job: object) =>
      (await (await post('/api/jobs', { name: 'nightly', schedule: every(10), ...job })).json()) as Job,
    /** Time passes, and the scheduler wakes. */
    async pass(minutes: number) {
      clock.skip(minutes * minuteMs)
      await post('/api/jobs/start')
    },
    slots: async (id: string) => (await ask<Page<JobSlot>>(`/api/jobs/${id}/slots`)).items.reverse(),
    states: async (id: string) =>
      (await ask<Page<JobSlot>>(`/api/jobs/${id}/slots`)).items.reverse().map(({ state }) => state),
    cards: async () =>
      (await ask<{ items: ConfirmationRow[] }>('/api/confirmations')).items.filter(
        ({ decision }) => decision === undefined,
      ),
    decide: (card: Card | undefined, body: object) => post(`/api/confirmations/${card?.toolUseId}`, body),
  }
}

test('a schedule is told before it is saved, and what cannot run is refused with the reason', async () => {
  const { jarvis, post, make, ask } = await withJobs()
  const preview = await post('/api/jobs/preview', { schedule: { kind: 'cron', line: '11 20 * * *', zone: 'UTC' } })
  const { words, next } = (await preview.json()) as { words: string; next: number[] }
  expect([words, next.length]).toEqual(['daily at 20:11, UTC', 5])

  const work = call('get_cluster_status')
  const made = await make({ work })
  expect(made).toMatchObject({ by: 'operator', words: 'every 10 min', state: 'active', isChanging: false, last: [] })
  expect(await make({ work: restart103, name: 'other' })).toMatchObject({ isChanging: true })

  const cron = (line: string, zone = 'UTC') => ({ schedule: { kind: 'cron', line, zone } })
  const refused: [object, RegExp][] = [
    [cron('* * * * * *'), /five fields/],
    [cron('0 3 * * *', 'Mars/Base'), /no time zone/],
    [{ work: call('no_such_tool') }, /no tool "no_such_tool"/],
    [{ work: call('restart_vm', { vmid: 'x' }) }, /vmid/],
    [{ work: call('restart_vm', { vmid: 103, confirmed: true }) }, /takes no argument "confirmed"/],
    [{ work: { kind: 'prompt', text: 'Use correct-horse-battery.' } }, /holds a secret/],
    [{ name: 'NIGHTLY' }, /there is a job "NIGHTLY" already/],
    [{ approved: true }, /approved/],
  ]
  for (const [body, reason] of refused) {
    const response = await post('/api/jobs', { name: 'new', work, schedule: every(10), ...body })
    const { error } = (await response.json()) as { error: { message: string } }
    expect([response.status, error.message]).toEqual([400, expect.stringMatching(reason)])
  }
  const wrong = await jarvis.rest(`/api/jobs/${made.id}`, { method: 'PATCH', json: cron('61 * * * *') })
  expect(wrong.status).toBe(400)
  // The job saved before stays in force.
  expect(await ask<Job>(`/api/jobs/${made.id}`)).toMatchObject({ words: 'every 10 min' })
  const viewer = await jarvis.rest('/api/jobs', { method: 'POST', role: 'viewer', json: {} })
  expect(viewer.status).toBe(403)
})

test('a read runs at its time in a session of its own, and is traced; late it is caught up once', async () => {
  const { make, pass, slots, ask } = await withJobs()
  const { id, createdAt } = await make({ work: call('get_node_status', { node: 'pve' }) })
  await pass(9)
  expect(await slots(id)).toEqual([])
  await pass(1)
  await expect.poll(async () => (await slots(id))[0]?.state).toBe('done')
  const [slot] = await slots(id)
  expect(slot).toMatchObject({ slot: createdAt + 10 * minuteMs, summary: expect.stringMatching(/./) })
  expect(slot).not.toHaveProperty('tokens')
  const trace = await ask<JobTrace>(`/api/jobs/${id}/slots/${slot?.slot}`)
  expect(trace).toMatchObject({ steps: [{ toolName: 'get_node_status', tier: 'green', state: 'done' }] })
  const { items: entries } = await ask<JournalPage>(`/api/journal?sessionId=${slot?.sessionId}`)
  expect(trace.steps.map(({ entry }) => entry)).toEqual(entries.map(({ seq }) => seq))
  const listed = async (query = '') => (await ask<SessionsPage>(`/api/sessions${query}`)).items.map((item) => item.id)
  expect([await listed(), await listed('?source=job')]).toEqual([[], [slot?.sessionId]])

  await pass(45)
  await expect.poll(async () => (await slots(id)).at(-1)?.state).toBe('done')
  expect((await slots(id)).map(({ state, caughtUpAt }) => [state, caughtUpAt !== undefined])).toEqual([
    ...[
      ['done', false],
      ['missed', false],
      ['missed', false],
      ['missed', false],
      ['done', true],
    ],
  ])
})

test('a change is never caught up, and asks on a card that no grant of a chat answers', async () => {
  const { jarvis, make, pass, slots, states, cards, decide } = await withJobs({
    model: scripted(calls(['restart_vm', { vmid: 103 }]), says('Done.')),
  })
  const restarts = () => jarvis.controls.effects.filter(({ kind }) => kind !== 'command').length
  const operator = await jarvis.connect()
  const { sessionId } = await operator.ask('chat:send', { message: 'Restart 103.' })
  const { toolUseId } = await operator.next('chat:confirm_needed')
  await operator.ask('chat:confirm', { sessionId, toolUseId, confirmed: true, grant: { minutes: 600, uses: 5 } })
  await operator.next('chat:done')

  const { id } = await make({ work: restart103 })
  await pass(15)
  expect((await slots(id)).map(({ state, summary }) => [state, summary])).toEqual([
    ['missed', 'JARVIS was not running then, or slept. Not caught up: it may change something.'],
  ])
  await pass(5)
  await expect.poll(() => states(id)).toEqual(['missed', 'waiting'])
  const [card] = await cards()
  expect(card).toMatchObject({ toolName: 'restart_vm', requestedBy: { kind: 'job', name: 'nightly', job: id } })
  await pass(10)
  expect((await slots(id)).at(-1)).toMatchObject({
    state: 'skipped',
    summary: 'The run before it waits for a decision.',
  })
  expect(restarts()).toBe(1)

  await decide(card, { confirmed: true, grant: { minutes: 600, uses: 1 } })
  await expect.poll(async () => (await states(id))[1]).toBe('done')
  // The job's own grant serves it once more, and no other job.
  const other = await make({ work: restart103, name: 'other', schedule: every(1000) })
  await jarvis.rest(`/api/jobs/${other.id}/run`, { method: 'POST' })
  await expect.poll(() => states(other.id)).toEqual(['waiting'])
  await decide((await cards())[0], { confirmed: false, note: 'Not now.' })
  await expect.poll(async () => (await slots(other.id))[0]?.summary).toBe('restart_vm: Denied by operator: Not now.')
  await jarvis.rest(`/api/jobs/${id}/run`, { method: 'POST' })
  await expect.poll(async () => (await states(id)).at(-1)).toBe('done')
  expect(await cards()).toEqual([])
  expect(restarts()).toBe(3)
})

/** A read that fails as often as is said. */
const flaky = (failures: { left: number }) =>
  defineTool({
    name: 'flaky',
    title: 'Flaky',
    description: 'Fails.',
    tier: 'green',
    touches: [{ kind: 'read', on: 'site' }],
    effects: () => [{ kind: 'read', on: 'site', target: noTarget }],
    timeoutMs: 1000,
    input: z.strictObject({}),
    run: async () => {
      failures.left -= 1
      return failures.left < 0 ? { text: 'ok', summary: 'ok' } : { text: 'no', summary: 'no', isError: true }
    },
  })

test('three failures in a row pause a job, until a person resumes it', async () => {
  const failures = { left: 3 }
  const { make, pass, states, ask, jarvis } = await withJobs({ tools: [flaky(failures)] })
  const { id } = await make({ work: call('flaky') })
  const patch = async (json: object) =>
    (await (await jarvis.rest(`/api/jobs/${id}`, { method: 'PATCH', json })).json()) as Job
  for (const count of [1, 2, 3]) {
    await pass(10)
    await expect.poll(() => states(id)).toEqual(Array.from({ length: count }, () => 'failed'))
  }
  expect(await ask<Job>(`/api/jobs/${id}`)).toMatchObject({
    state: 'paused',
    failures: 3,
    next: [],
    paused: { by: 'jarvis', why: '3 failures in a row. The last: no' },
  })
  await pass(10)
  expect(await states(id)).toHaveLength(3)
  expect(await patch({ isPaused: false })).toMatchObject({ state: 'active', failures: 0 })
  await pass(10)
  await expect.poll(async () => (await states(id)).at(-1)).toBe('done')
})

test('one switch stops all: what comes meanwhile is skipped, also by hand', async () => {
  const { jarvis, make, post, states, ask } = await withJobs()
  const { id } = await make({ work: call('get_cluster_status'), schedule: every(1) })
  expect(await (await post('/api/jobs/stop')).json()).toMatchObject({ stopped: { by: 'operator' } })
  const early = await post(`/api/jobs/${id}/run`)
  expect([early.status, await early.text()]).toEqual([
    409,
    expect.stringContaining('All jobs were stopped by operator'),
  ])
  expect(await (await post('/api/jobs/start')).json()).toMatchObject({ stopped: null })
  expect((await post(`/api/jobs/${id}/run`)).status).toBe(202)
  await expect.poll(() => states(id)).toEqual(['done'])
  const journal = await ask<Page<{ body: { change: string } }>>('/api/journal?kind=job')
  expect(journal.items.map(({ body }) => body.change).reverse()).toEqual(['made', 'all_stopped', 'all_started', 'run'])
  expect((await jarvis.rest(`/api/jobs/${id}`, { method: 'DELETE' })).status).toBe(204)
  expect((await jarvis.rest(`/api/jobs/${id}`)).status).toBe(404)
})

test('a model makes a job only by a person’s card, and what it wrote is nobody’s word', async () => {
  const prompt = 'Take the snapshot weekly-one of VM 101.'
  const take = calls(['take_snapshot', { vmid: 101, name: 'weekly-one' }])
  const schedule = { name: 'kind helper', prompt, when: 'every 10 min' }
  const { jarvis, make, pass, ask, cards, decide, states } = await withJobs({
    env: { JARVIS_TITLES: 'off' },
    model: scripted(...[calls(['schedule', schedule]), says('Made.'), take, says('Taken.'), take, says('Taken.')]),
  })
  const operator = await jarvis.connect()
  await operator.ask('chat:send', { message: 'Do something useful.' })
  await operator.next('chat:confirm_needed')
  const [card] = await cards()
  expect(card?.sentence).toBe(
    'The job "kind helper" runs every 10 min, in the name of whoever approves this, and says to the model: "Take the snapshot weekly-one of VM 101.".',
  )
  await decide(card, { confirmed: true })
  await operator.next('chat:done')
  const { items } = await ask<JobsReply>('/api/jobs')
  const made = items.find(({ name }) => name === 'kind helper')
  expect(made).toMatchObject({ by: 'operator', askedBy: { kind: 'chat', name: 'scripted/model' }, isChanging: true })

  await pass(10)
  await expect.poll(() => states(made?.id ?? '')).toEqual(['waiting'])
  expect((await cards()).map(({ toolName, rule }) => [toolName, rule])).toEqual([['take_snapshot', 'taint']])
  await decide((await cards())[0], { confirmed: false })
  await expect.poll(() => states(made?.id ?? '')).toEqual(['failed'])
  // Cancelling what a model asked for needs nobody; what a person makes is asked about.
  await operator.ask('chat:send', { message: '/cancel_job job="kind helper"' })
  await operator.next('chat:done')
  expect(await ask<Job>(`/api/jobs/${made?.id}`)).toMatchObject({ state: 'paused', paused: { by: 'operator' } })

  // The same words of a person's count as the person's.
  const own = await make({ work: { kind: 'prompt', text: prompt }, name: 'own' })
  await pass(10)
  await expect.poll(() => states(own.id)).toEqual(['done'])
  expect(await cards()).toEqual([])
})

test('a run ends before the call that would pass its budget, and the day’s budget skips the rest', async () => {
  const look = calls(['get_cluster_status', {}])
  const { make, pass, slots, ask } = await withJobs({
    env: { JARVIS_TITLES: 'off' },
    model: scripted(look, look, says('The cluster is up.'), look, says('It is up.')),
  })
  const { id } = await make({
    work: { kind: 'prompt', text: 'Look around.' },
    budget: { callsPerRun: 2, callsPerDay: 4 },
  })
  await pass(10)
  await expect.poll(async () => (await slots(id))[0]?.state).toBe('failed')
  expect((await slots(id))[0]).toMatchObject({
    tokens: 60,
    summary: expect.stringContaining(
      'I stopped at a limit: this run may make 2 model calls and has made 2 model calls.',
    ),
  })
  expect(await ask<JobTrace>(`/api/jobs/${id}/slots/${(await slots(id))[0]?.slot}`)).toMatchObject({
    steps: [
      { toolName: 'get_cluster_status', state: 'done' },
      { toolName: 'get_cluster_status', state: 'done' },
    ],
  })
  // The next run has the rest of the day's budget; a last answer is one call more.
  await pass(10)
  await expect.poll(async () => (await slots(id)).at(-1)).toMatchObject({ state: 'failed', tokens: 40 })
  await pass(10)
  expect((await slots(id)).at(-1)).toMatchObject({
    state: 'skipped',
    summary: 'This job may make 4 model calls a day and has made 5 model calls.',
  })
})

test('a drill job drills the oldest proof, on a card or by what a person approved for exactly such drills', async () => {
  const { jarvis, ask, post, slots, states, cards, decide } = await withJobs({ env: { JARVIS_EMBEDDINGS: 'none' } })
  const run = () => post('/api/jobs/job_drill/run')
  const drilled = async () => (await ask<ProofsReply>('/api/proofs')).items.map(({ vmid }) => vmid)
  await run()
  await expect.poll(() => states('job_drill')).toEqual(['waiting'])
  const [card] = await cards()
  expect(card).toMatchObject({ toolName: 'drill_restore', toolInput: { bwlimitKiBps: 102_400 } })
  await decide(card, { confirmed: false })
  await expect.poll(() => states('job_drill')).toEqual(['failed'])

  expect(await ask<Job>('/api/jobs/job_drill')).toMatchObject({ approvedUntil: null })
  const approved = (await (await post('/api/jobs/job_drill/approval')).json()) as Job
  expect(approved.approvedUntil).toBeGreaterThan(jarvis.now() + 89 * 24 * 60 * minuteMs)
  expect((await post('/api/jobs/job_heartbeat/approval')).status).toBe(400)
  await run()
  await expect.poll(async () => (await states('job_drill')).at(-1)).toBe('done')
  // A guest that was tried counts from then on.
  expect(await drilled()).not.toContain(card?.toolInput.vmid)
  expect(await drilled()).toHaveLength(1)
  expect((await slots('job_drill')).at(-1)?.summary).toMatch(/^level \d/)

  await jarvis.rest('/api/jobs/job_drill/approval', { method: 'DELETE' })
  expect((await ask<{ items: Grant[] }>('/api/grants')).items).toEqual([])
  await run()
  await expect.poll(async () => (await states('job_drill')).at(-1)).toBe('waiting')
})

test('the command line lists jobs, pauses one and stops all beside a running server, and says what it did not do', async () => {
  const { jarvis, make, ask } = await withJobs()
  const { id } = await make({ work: call('get_vms') })
  const cli = async (...args: string[]) => (await jarvisHere(jarvis.dataDir, 'jobs', ...args)).output
  expect(await cli()).toMatch(new RegExp(`^${id}  nightly  every 10 min  active\n  next .*; last never$`, 'm'))
  expect(await cli('pause', id)).toContain('Done.')
  expect((await ask<Job>(`/api/jobs/${id}`)).paused).toMatchObject({ by: 'cli', why: 'Paused from the command line.' })
  expect(await cli('stop')).toContain('Done.')
  expect((await ask<JobsReply>('/api/jobs')).stopped).toMatchObject({ by: 'cli' })
  expect(await cli('pause', 'job_none')).toContain('There is no job job_none. jobs lists them.')
})

test('a job that runs a runbook makes a plan each time, which asks as it would by hand', async () => {
  const { make, post, slots, pass, cards, decide, ask } = await withJobs()
  const work = { kind: 'runbook', name: 'guest-unresponsive', inputs: { vmid: 104 } }
  const made = await make({ work })
  expect(made.isChanging).toBe(true)
  expect((await post('/api/jobs', { name: 'x', schedule: every(10), work: { ...work, name: 'none' } })).status).toBe(
    404,
  )
  await pass(10)
  await expect.poll(async () => (await cards()).length).toBe(1)
  const [card] = await cards()
  expect(card).toMatchObject({ toolName: 'run_runbook', requestedBy: { kind: 'job', name: 'nightly' } })
  expect((await slots(made.id)).at(-1)?.state).toBe('waiting')
  await decide(card, { confirmed: false })
  await expect.poll(async () => (await slots(made.id)).at(-1)?.state).toBe('failed')
  expect((await ask<{ items: unknown[] }>('/api/plans')).items).toEqual([])
})
