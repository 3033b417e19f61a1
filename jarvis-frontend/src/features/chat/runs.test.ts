import type { Entry, Tier } from 'protocol'
import { expect, test } from 'vitest'
import { argumentLine, endOf, foldReads, rowsOf, runsOf } from './runs.ts'

let seq = 0
const use = (id: string, tier: Tier): Entry => ({
  type: 'tool_use',
  seq: seq++,
  runId: 'r',
  at: 0,
  toolUseId: id,
  toolName: `tool_${id}`,
  toolInput: {},
  tier,
})
const result = (id: string, isError = false): Entry => ({
  type: 'tool_result',
  seq: seq++,
  runId: 'r',
  at: 0,
  toolUseId: id,
  result: '',
  isError,
  summary: '',
  durationMs: 1,
})
const kinds = (entries: Entry[]) => runsOf(entries).flatMap((run) => foldReads(run.items).map((row) => row.kind))

test.each([
  ['two successful reads fold', [use('a', 'green'), result('a'), use('b', 'green'), result('b')], ['reads']],
  ['one read stands alone', [use('a', 'green'), result('a')], ['call']],
  [
    'a failed read never folds',
    [use('a', 'green'), result('a'), use('b', 'green'), result('b', true)],
    ['call', 'call'],
  ],
  ['a change never folds', [use('a', 'yellow'), result('a'), use('b', 'yellow'), result('b')], ['call', 'call']],
  ['a read that runs does not fold', [use('a', 'green'), result('a'), use('b', 'green')], ['call', 'call']],
  [
    'a change parts reads',
    [
      use('a', 'green'),
      result('a'),
      use('b', 'green'),
      result('b'),
      use('c', 'yellow'),
      result('c'),
      use('d', 'green'),
      result('d'),
      use('e', 'green'),
      result('e'),
    ],
    ['reads', 'call', 'reads'],
  ],
] as const)('%s', (_name, entries, expected) => {
  expect(kinds([...entries])).toEqual(expected)
})

test('a skill has a row of its own, whether a person named it or a model loaded it', () => {
  const at = { seq: 0, runId: 'r', at: 0 }
  const named: Entry[] = [
    { ...at, type: 'user', messageId: 'm', text: '/mine', by: 'mira' },
    { ...at, type: 'skill', name: 'mine', hash: 'ab', text: 'Do this.' },
  ]
  expect(runsOf(named)[0]?.items).toMatchObject([{ kind: 'skill', by: 'mira', skill: { name: 'mine', hash: 'ab' } }])

  const load = (gave: string): Entry[] =>
    [
      use('a', 'green'),
      { ...result('a'), result: 'Do this.', data: { skill: { name: 'mine', hash: 'ab' }, gave } },
    ].map((entry) => (entry.type === 'tool_use' ? { ...entry, toolName: 'use_skill' } : entry)) as Entry[]
  const read = [use('b', 'green'), result('b')]
  expect(kinds([...load('body'), ...read])).toEqual(['call', 'call'])
  // It gave nothing that was not there before.
  expect(kinds([...load('nothing'), ...read])).toEqual(['reads'])
})

test('an unchanged run stays the same object when a later one grows', () => {
  const first: Entry = { type: 'user', seq: 0, runId: 'r1', at: 0, messageId: 'm', text: 'a', by: 'o' }
  const second: Entry = { ...first, seq: 1, runId: 'r2' }
  const third: Entry = { type: 'error', seq: 2, runId: 'r2', at: 0, error: 'x', code: 'internal' }
  const before = runsOf([first, second])
  const after = runsOf([first, second, third], before)
  expect(after[0]).toBe(before[0])
  expect(after[1]).not.toBe(before[1])
  expect(after[1]?.end).toEqual(third)
})

test('what was seen later tells more than a result that nobody knew', () => {
  const unknown: Entry = { ...(result('a', true) as Extract<Entry, { type: 'tool_result' }>), isUnknown: true }
  const later = (outcome: 'done' | 'failed'): Entry => ({
    type: 'reconciled',
    seq: seq++,
    runId: 'r',
    at: 9,
    toolUseId: 'a',
    toolName: 'tool_a',
    outcome,
    text: 'Seen running.',
  })
  const end = (...entries: Entry[]) => {
    const [item] = runsOf([use('a', 'red'), ...entries])[0]?.items ?? []
    return item?.kind === 'call' ? endOf(item.call) : undefined
  }
  expect(end(unknown)).toMatchObject({ isError: true, isUnknown: true })
  expect(end({ ...unknown, summary: 'I do not know whether this ran. 122 is running.' })?.summary).toBe(
    '122 is running.',
  )
  expect(end(unknown, later('done'))).toEqual({ isError: false, summary: 'Seen running.', at: 9 })
  expect(end(unknown, later('failed'))).toMatchObject({ isError: true })
})

test('a read that was cut short has failed: it has no effect to be unsure of', () => {
  const cut: Entry = { ...(result('a', true) as Extract<Entry, { type: 'tool_result' }>), isUnknown: true }
  const [item] = runsOf([use('a', 'green'), cut])[0]?.items ?? []
  expect(item?.kind === 'call' ? endOf(item.call)?.isUnknown : 'no call').toBeUndefined()
})

test('the place comes first in an argument line, switches by name', () => {
  expect(argumentLine({ command: 'uptime', node: 'pve' })).toBe('pve  uptime')
  expect(argumentLine({ vmid: 105, force: true })).toBe('105  force')
})

test('the calls of a plan fold, because its card tells them; a step that waits does not', () => {
  const plan = { toolUseId: 'plan', toolName: 'run_runbook', toolInput: {}, plan: { id: 'plan' } }
  const step = (entry: Entry) => ({ ...entry, runId: 'steps' })
  const asks = (id: string) => step({ type: 'confirm_needed', seq: seq++, at: 0, toolUseId: id } as Entry)
  const entries = [
    { ...plan, type: 'confirm_needed', seq: seq++, runId: 'r', at: 0 } as unknown as Entry,
    use('plan', 'red'),
    { type: 'assistant', seq: seq++, runId: 'steps', at: 0, madeBy: 'jarvis', content: [] } as unknown as Entry,
    step(use('a', 'red')),
    step(result('a')),
    asks('b'),
    result('plan'),
    { type: 'assistant', seq: seq++, runId: 'later', at: 0, madeBy: 'jarvis', content: [] } as unknown as Entry,
  ]
  const [, steps, later] = runsOf(entries)
  expect(steps?.ofPlan).toBe('plan')
  expect(rowsOf(steps ?? { items: [] })).toMatchObject([
    { kind: 'planned', calls: 2, rows: [{ key: 'a' }] },
    { kind: 'call', key: 'b' },
  ])
  expect(later?.ofPlan).toBeUndefined()
  // Without the plan's card nothing else tells the calls.
  expect(rowsOf(runsOf(entries.slice(1))[1] ?? { items: [] }).map(({ kind }) => kind)).toEqual(['call', 'call'])
})
