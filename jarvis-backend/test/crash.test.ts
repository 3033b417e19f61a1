import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ConfirmationRow, Entry, Page } from 'protocol'
import { expect, test } from 'vitest'
import { toMessages } from '../src/agent/conversation.ts'
import { brokenAt, readDatabase } from './crash/evidence.ts'
import { runExperiment } from './crash/experiment.ts'
import { problemsOf } from './crash/message-rules.ts'
import { type Broken, type Mutant, mutants } from './crash/mutants.ts'
import type { Kill } from './crash/steps.ts'
import { killedHouse, type Life } from './support/killed-house.ts'

const { newDir, life, eachKill } = killedHouse('v1')

const linesIn = (dataDir: string) => {
  const file = join(dataDir, 'lines')
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}
type Cards = Page<ConfirmationRow>
const cardOf = async (one: Life) => (await one.ask<Cards>('confirmations')).items[0]
const approved = async (one: Life) => {
  await expect.poll(async () => (await cardOf(one))?.toolName).toBe('note_down')
  return one.request('POST', `confirmations/${(await cardOf(one))?.toolUseId}`, { confirmed: true })
}
const over = (one: Life, id: string) =>
  expect
    .poll(async () => (await one.ask<Page<Entry>>(`sessions/${id}/entries?limit=100`)).items.map(({ type }) => type))
    .toContain('done')

/** One red call from its message to the end of its run, with a copy at each point. */
async function redCall(points: readonly string[], broken: Broken = {}) {
  const dataDir = newDir()
  const first = await life({ dataDir }, { points, broken })
  const { sessionId } = await first.ask<{ sessionId: string }>('sessions', {
    message: 'call note_down {"line":"once"}',
  })
  expect((await approved(first)).status).toBe(200)
  await over(first, sessionId)
  await first.stop()
  expect(linesIn(dataDir)).toBe('once\n')
  return { at: first.at, sessionId }
}

/** `stands`: what the card says to an approval after the kill: it waits, or is decided. */
type Step = [dieAt: string, stands: 'waits' | 'decided', outcome: 'done' | 'unknown', lines: '' | 'once\n']
const steps: Step[] = [
  ['insert runs committed', 'waits', 'done', 'once\n'],
  ['insert entries assistant committed', 'waits', 'done', 'once\n'],
  ['insert confirmations written', 'waits', 'done', 'once\n'],
  ['insert confirmations committed', 'waits', 'done', 'once\n'],
  ['update confirmations decision begun', 'waits', 'done', 'once\n'],
  ['update confirmations decision written', 'waits', 'done', 'once\n'],
  ['insert executions written', 'waits', 'done', 'once\n'],
  ['insert journal execution written', 'waits', 'done', 'once\n'],
  ['insert journal execution committed', 'decided', 'unknown', ''],
  ['effect begun', 'decided', 'unknown', ''],
  ['effect done', 'decided', 'unknown', 'once\n'],
  ['insert journal result written', 'decided', 'unknown', 'once\n'],
  ['insert journal result committed', 'decided', 'done', 'once\n'],
  ['insert entries done committed', 'decided', 'done', 'once\n'],
]

/** The life after a kill: the card says where it stands, the run ends, and the call ran at most once. */
async function judge([, stands, outcome, lines]: Step, dataDir: string, sessionId: string, broken: Broken = {}) {
  const died = readDatabase(dataDir)
  expect(brokenAt(died.journal)).toBeUndefined()
  const next = await life({ dataDir }, { points: [], broken })
  expect((await approved(next)).status).toBe(stands === 'waits' ? 200 : 409)
  await over(next, sessionId)
  expect((await cardOf(next))?.outcome).toBe(outcome)
  expect(linesIn(dataDir)).toBe(lines)
  expect(await next.ask('journal/verify')).toMatchObject({ ok: true })
  await next.stop()
  const { entries, calls, executions } = readDatabase(dataDir)
  const count = (kind: Entry['type']) => entries.filter(({ type }) => type === kind).length
  expect([count('user'), count('tool_result'), count('done')]).toEqual([1, 1, 1])
  expect([died.executions.length, calls.length, executions.length]).toEqual([stands === 'waits' ? 0 : 1, 1, 1])
  expect(problemsOf(toMessages(entries))).toEqual([])
}

test('killed at each step of a red call, nothing is lost and nothing runs twice', async () => {
  const { at, sessionId } = await redCall(steps.map(([dieAt]) => dieAt))
  await eachKill(steps, (...step) => judge(step, at(step[0]).dataDir, sessionId))
})

test.each(Object.keys(mutants) as Mutant[])('a server with %s is found by its outcome', async (mutant) => {
  const broken = mutants[mutant]
  const { at, sessionId } = await redCall(['effect done'], broken)
  const step: Step = ['effect done', 'decided', 'unknown', 'once\n']
  await expect(judge(step, at(step[0]).dataDir, sessionId, broken)).rejects.toThrow("to be 'unknown'")
})

test('killed with SIGKILL around a request to the cluster, nothing is lost and nothing runs twice', async () => {
  const steps = ['claim and journal committed', 'request sent, arriving late', 'decision acknowledged'] as const
  const report = await runExperiment({ kills: steps.map((at): Kill => ({ at })), seed: 7 })
  expect(report).toMatchObject({ doubles: [], lostDecisions: [], lostCards: [], lostMessages: [], faults: [] })
  expect([...report.kills.keys()]).toEqual(steps)
  expect(report.interrupted.length).toBeGreaterThan(0)
  expect(report.requests).toBeGreaterThan(0)
})

test('a tampered journal is reported at the altered entry', () => {
  const rows = [
    {
      seq: 1,
      at: 5,
      kind: 'call',
      body: '{}',
      hash: 'df1845ec6fe9ed515f550f68944478cd5d44d3114983f7d7b4f9ae6781d7ef64',
    },
    {
      seq: 2,
      at: 6,
      kind: 'decision',
      body: '{"by":"operator"}',
      hash: '036fe5173adee44784b8e0a0cc1896050bca1d1e65101c0a8e26ae02bae59905',
    },
    {
      seq: 3,
      at: 7,
      kind: 'execution',
      body: '{}',
      hash: '9616ff76cc2d3a58905a567cec8facc399434bd415024a8e10efdf45a8df1233',
    },
  ]
  expect(brokenAt(rows)).toBeUndefined()
  expect(brokenAt(rows.map((row) => (row.seq === 2 ? { ...row, body: '{}' } : row)))).toBe(2)
  expect(brokenAt(rows.filter(({ seq }) => seq !== 2))).toBe(3)
})

test.each([
  ['a call without an answer', { role: 'user', results: [], text: 'And?' }],
  ['two answers', { role: 'user', results: [answer('a'), answer('a')], text: '' }],
  ['an answer to another call', { role: 'user', results: [answer('b')], text: '' }],
] as const)('a conversation with %s is found', (_, reply) => {
  const call = { type: 'tool_call' as const, toolUseId: 'a', toolName: 'stop_vm', toolInput: {} }
  const asked = { role: 'assistant' as const, content: [call], model: 'planned/model' }
  const question = { role: 'user' as const, results: [], text: 'Stop it.' }
  const right = { role: 'user' as const, results: [answer('a')], text: '' }
  expect(problemsOf([question, asked, right])).toEqual([])
  expect(problemsOf([question, asked, { ...reply, results: [...reply.results] }])).not.toEqual([])
})

function answer(toolUseId: string) {
  return { toolUseId, toolName: 'stop_vm', text: 'Stopped.', isError: false }
}
