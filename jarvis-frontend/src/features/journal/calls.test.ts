import { expect, test } from 'vitest'
import { lineOfRow, rowsOf } from './calls.ts'

const entry = (seq: number, kind: string, body: unknown) => ({ seq, at: seq, kind, body, hash: 'ab' })
const id = { toolUseId: 'tu_1', toolName: 'stop_vm' }
const requestedBy = { kind: 'chat', name: 'anthropic/claude' }
const asked = entry(1, 'call', { ...id, toolInput: { vmid: 103 }, tier: 'red', requestedBy })
const other = entry(2, 'session', { change: 'renamed', title: 'Monday', by: 'operator' })
const approved = entry(3, 'decision', { ...id, decision: 'approved', by: 'operator' })
const denied = entry(3, 'decision', { ...id, decision: 'denied', note: 'not now: a film', by: 'operator' })
const runs = entry(4, 'execution', { ...id, toolInput: { vmid: 103 }, tier: 'red', requestedBy })
const result = entry(5, 'result', { ...id, outcome: 'failed', summary: 'Task failed' })

test('the entries of a call are one row, where the newest stands, and others stay alone', () => {
  expect(rowsOf([result, runs, approved, other, asked]).map(({ entries }) => entries.map(({ seq }) => seq))).toEqual([
    [5, 4, 3, 1],
    [2],
  ])
})

test('a row stands where the filter found it and says what came of all of its call', () => {
  const rows = rowsOf([runs, asked], [result, approved])
  expect(rows.map(({ entry, entries }) => [entry.seq, entries.map(({ seq }) => seq)])).toEqual([[4, [5, 4, 3, 1]]])
  expect(rows.map((row) => lineOfRow(row))).toMatchObject([
    { outcome: 'approved by operator, Task failed', end: 'failed' },
  ])
})

test.each([
  [result, { by: 'claude', args: '103', outcome: 'Task failed' }],
  [approved, { by: 'operator', args: '103', outcome: 'approved' }],
  [runs, { outcome: 'started' }],
  [asked, { outcome: 'a decision was asked for' }],
])('%# an entry shown alone says of which guest and for whom', (alone, line) => {
  expect(rowsOf([alone], [asked, approved, runs, result], false).map((row) => lineOfRow(row))).toMatchObject([line])
})

test.each([
  [[asked], { by: 'claude', args: '103', outcome: 'waits for a decision' }],
  [[denied, asked], { by: 'claude', args: '103', outcome: 'denied by operator: not now: a film' }],
  [[runs, approved, asked], { outcome: 'approved by operator, runs now' }],
  [
    [result, runs, approved, asked],
    {
      tier: 'red',
      by: 'claude',
      call: 'stop_vm',
      args: '103',
      outcome: 'approved by operator, Task failed',
      end: 'failed',
    },
  ],
  // The call itself is on a page that was not read yet.
  [[result, runs], { by: 'claude', args: '103', outcome: 'Task failed' }],
])('%# a row says who asked, for what, and what became of it', (items, line) => {
  const [row] = rowsOf(items)
  expect(row === undefined ? undefined : lineOfRow(row)).toMatchObject(line)
})
