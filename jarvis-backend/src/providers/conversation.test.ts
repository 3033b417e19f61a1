import { expect, test } from 'vitest'
import type { Message } from '../agent/model.ts'
import type { Content } from '../protocol/index.ts'
import { conversation } from './conversation.ts'

const says = (text: string, ...ids: string[]): Message => ({
  role: 'user',
  results: ids.map((id) => ({ toolUseId: id, toolName: 'get_vms', text: `out ${id}`, isError: false })),
  text,
})
const calls = (...ids: string[]): Message => ({
  role: 'assistant',
  content: ids.map((id): Content => ({ type: 'tool_call', toolUseId: id, toolName: 'get_vms', toolInput: {} })),
})
/** Each turn as its role, its calls or results, and its words. */
const brief = (...messages: Message[]) =>
  conversation(messages, () => false).map((turn) =>
    turn.role === 'user'
      ? ['user', ...turn.results.map(({ toolUseId, text }) => `${toolUseId}: ${text}`), ...turn.texts]
      : ['assistant', ...turn.content.map((piece) => (piece.type === 'tool_call' ? piece.toolUseId : piece.type))],
  )

test('calls and results have ids of nine letters and digits by their place, also where ids repeat', () => {
  expect(brief(says('Hi'), calls('a:0', 'b'), says('', 'b', 'a:0'), calls('b', 'b'), says('So?', 'b', 'b'))).toEqual([
    ['user', 'Hi'],
    ['assistant', 'call00001', 'call00002'],
    ['user', 'call00001: out a:0', 'call00002: out b'],
    ['assistant', 'call00003', 'call00004'],
    ['user', 'call00003: out b', 'call00004: out b', 'So?'],
  ])
})

test('a call without its result, a result without its call and a model that begins are brought into order', () => {
  expect(brief(calls('a'), says('Stop.'), calls('b'), says('', 'a'), calls('c'))).toEqual([
    ['user', '[The conversation began before this.]'],
    ['assistant', 'call00001'],
    ['user', 'call00001: Interrupted: what came of it is not known.', 'Stop.'],
    ['assistant', 'call00002'],
    ['user', 'call00002: Interrupted: what came of it is not known.', '[A result of get_vms] out a'],
    ['assistant', 'call00003'],
    ['user', 'call00003: Interrupted: what came of it is not known.'],
  ])
})
