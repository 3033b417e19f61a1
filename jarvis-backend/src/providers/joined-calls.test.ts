import { expect, test } from 'vitest'
import { type CallInProgress, createCallJoiner, withoutRepeats } from './joined-calls.ts'
import { reply } from './reply.ts'

type Chunk = { id?: string; at?: number; name?: string; input?: unknown }
const whole = '{"node":"pve","service":"pvestatd"}'
const asked = ['restart', { node: 'pve', service: 'pvestatd' }]
const head = (input: unknown, more: Chunk = {}): Chunk => ({ at: 0, id: 'c1', name: 'restart', input, ...more })
const more = (input: unknown, rest: Chunk = {}): Chunk => ({ at: 0, input, ...rest })

function callsOf(chunks: readonly Chunk[]): unknown[] {
  const calls: CallInProgress[] = []
  const joiner = createCallJoiner((call) => void calls.push(call))
  for (const chunk of chunks) joiner.add(chunk)
  return reply(calls, { stop: 'end_turn', mayCall: true }).content.map(
    (piece) =>
      piece.type === 'tool_call' && [piece.toolName, piece.malformed === undefined ? piece.toolInput : 'refused'],
  )
}

const rows: Record<string, [Chunk[], unknown[]]> = {
  'a placeholder first': [[head('{}'), more(whole)], [asked]],
  'a placeholder, then all with the name': [[head('{}'), head(whole)], [asked]],
  'an empty text, a placeholder, and then all': [[head(''), more('{}'), more(whole)], [asked]],
  'each restates all so far': [[head('{"no'), more('{"node":"pv'), more(whole)], [asked]],
  'each restates all so far as an object': [[head('{"node":"pve"}'), more(whole)], [asked]],
  'the whole call again': [[head(whole), head(whole)], [asked]],
  'its arguments again': [[head(whole), more(whole)], [asked]],
  'the whole after its pieces': [
    [head(''), more('{"node":"pve",'), more('"service":"pvestatd"}'), head(whole)],
    [asked],
  ],
  'the pieces again': [
    [head('{"node":"pve",'), more(whole.slice(14)), more('{"node":"pve",'), more(whole.slice(14))],
    [asked],
  ],
  'the whole again without id and index': [[head(whole), { name: 'restart', input: whole }], [asked]],
  'the whole again at another index': [[head(whole), head(whole, { at: 1 })], [asked]],
  'an id in each chunk': [[head('{"node":"pve",', { id: 'x' }), more(whole.slice(14), { id: 'y' })], [asked]],
  'a name in pieces': [[head('', { name: 're' }), more('', { name: 'start' }), more(whole)], [asked]],
  'a name that grows': [[head('', { name: 're' }), more('', { name: 'restart' }), more(whole)], [asked]],
  'the first brace with the name': [[head('{'), more(whole.slice(1))], [asked]],
  'an object': [[head({ node: 'pve', service: 'pvestatd' })], [asked]],
  'no index, told apart by id': [
    [
      { id: 'a', name: 'one', input: '{"n"' },
      { id: 'b', name: 'two', input: '{}' },
      { id: 'a', input: ':1}' },
    ],
    [
      ['one', { n: 1 }],
      ['two', {}],
    ],
  ],
  'two ids with one index': [
    [head('{"n":1}'), head('{"n":2}', { id: 'c2' })],
    [
      ['restart', { n: 1 }],
      ['restart', { n: 2 }],
    ],
  ],
  'no ids, one index, two arguments': [
    [head('{"n":1}', { id: '' }), head('{"n":2}', { id: '' })],
    [
      ['restart', { n: 1 }],
      ['restart', { n: 2 }],
    ],
  ],
  'one id that says two things': [[head('{"n":1}'), head('{"n":2}')], [['restart', 'refused']]],
  'cut arguments': [[head('{"node":"pve","serv')], [['restart', 'refused']]],
  'a cut second call': [
    [head(whole), head('{"n":', { at: 1, id: 'c2' })],
    [asked, ['restart', 'refused']],
  ],
}

test('one call is one call, however its chunks come', () => {
  const failing = Object.entries(rows).flatMap(([name, [chunks, expected]]) => {
    const came = callsOf(chunks)
    return JSON.stringify(came) === JSON.stringify(expected) ? [] : [{ name, came, expected }]
  })
  expect(failing).toEqual([])
})

test('a block that is sent twice is one call', () => {
  const block = (): CallInProgress => ({ type: 'call', id: 'toolu_1', at: 0, name: 'restart', parts: [whole] })
  expect(withoutRepeats([block(), block()])).toHaveLength(1)
  expect(withoutRepeats([block(), { ...block(), id: 'toolu_2' }])).toHaveLength(2)
})
