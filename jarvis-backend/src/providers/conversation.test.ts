import type { Content } from 'protocol'
import { expect, test } from 'vitest'
import type { Message } from '../agent/model.ts'
import { conversation, sentId } from './conversation.ts'

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

test('calls and results have ids of nine letters and digits that stay theirs, also where ids repeat', () => {
  const [a, b, other, third] = [sentId('a:0'), sentId('b'), sentId('b', 1), sentId('b', 2)]
  for (const id of [a, b, other, third]) expect(id).toMatch(/^[a-z0-9]{9}$/)
  const said = [says('Hi'), calls('a:0', 'b'), says('', 'b', 'a:0'), calls('b', 'b'), says('So?', 'b', 'b')]
  expect(brief(...said)).toEqual([
    ['user', 'Hi'],
    ['assistant', a, b],
    ['user', `${a}: out a:0`, `${b}: out b`],
    ['assistant', other, third],
    ['user', `${other}: out b`, `${third}: out b`, 'So?'],
  ])
  // Where older turns are cut, providers still know the rest.
  expect(brief(says('Hi'), calls('c'), says('', 'c'), calls('a:0'), says('', 'a:0'))[3]).toEqual(['assistant', a])
})

test('a call without its result, a result without its call and a model that begins are brought into order', () => {
  expect(brief(calls('a'), says('Stop.'), calls('b'), says('', 'a'), calls('c'))).toEqual([
    ['user', '[The conversation began before this.]'],
    ['assistant', sentId('a')],
    ['user', `${sentId('a')}: Interrupted: what came of it is not known.`, 'Stop.'],
    ['assistant', sentId('b')],
    ['user', `${sentId('b')}: Interrupted: what came of it is not known.`, '[A result of get_vms] out a'],
    ['assistant', sentId('c')],
    ['user', `${sentId('c')}: Interrupted: what came of it is not known.`],
  ])
})
