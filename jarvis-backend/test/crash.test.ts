import { expect, test } from 'vitest'
import { brokenAt } from './crash/evidence.ts'
import { runExperiment } from './crash/experiment.ts'
import { problemsOf } from './crash/message-rules.ts'
import { mutants } from './crash/mutants.ts'
import type { Kill } from './crash/steps.ts'

/** Starting processes is slow where others have the machine too. */
const patienceMs = 300_000

test(
  'killed at each step of a red call, nothing is lost and nothing runs twice',
  async () => {
    const steps = [
      'message acknowledged',
      'turn stored',
      'card stored',
      'decision received',
      'claim written',
      'claim and journal committed',
      'request sent',
      'request sent, arriving late',
      'request received',
      'response received',
      'result stored',
      'decision acknowledged',
    ] as const
    const report = await runExperiment({ kills: steps.map((at): Kill => ({ at })), seed: 7 })
    expect(report).toMatchObject({ doubles: [], lostDecisions: [], lostCards: [], lostMessages: [], faults: [] })
    expect([...report.kills.keys()]).toEqual(steps)
    expect(report.interrupted.length).toBeGreaterThan(0)
    expect(report.requests).toBeGreaterThan(0)
  },
  patienceMs,
)

test.each(Object.keys(mutants) as (keyof typeof mutants)[])(
  'the experiment catches %s',
  async (mutant) => {
    const { doubles } = await runExperiment({ kills: [{ at: 'request received' }], seed: 7, mutant })
    expect(doubles).not.toEqual([])
  },
  patienceMs,
)

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
