import { expect, test } from 'vitest'
import { houseFacts, houseTools } from '../../tools/house.ts'
import { compilePolicy } from './compile.ts'
import { parsePolicy } from './parse.ts'
import { Replay } from './replay.ts'

let made = 0
function entry(toolName: string, toolInput: object, more: object, kind = 'call') {
  made += 1
  return { at: Date.UTC(2026, 10, 20, 12), kind, body: { toolUseId: `tu_${made}`, toolName, toolInput, ...more } }
}
const target = { kind: 'guest', id: 'vm/105', vmid: 105, type: 'vm', node: 'pve', name: 'web' }
const stop = (more: object, kind?: string) =>
  entry('stop_vm', { vmid: 105 }, { target, tier: 'red', rule: 'base', ...more }, kind)

/** `from → to rule`, one for each change. */
function replayed(yaml: string, ...entries: { at: number; kind: string; body: unknown }[]) {
  const parsed = parsePolicy(yaml, houseFacts)
  if (!parsed.ok) throw new Error(yaml)
  const replay = new Replay(compilePolicy({ file: parsed.file }), houseTools)
  for (const each of entries) replay.add(each)
  const { calls, changed } = replay.result()
  return [calls, ...changed.map(({ from, to, count }) => `${count}: ${from.tier} → ${to.tier} ${to.rule}`)]
}
const allow = 'allow: [{tool: stop_vm, target: vm/105, because: x}]'
const prod = 'rules: [{name: mine, tools: all, when: {target: tag:prod}, tier: black, because: x}]'

test.each([
  ['an allow lowers what was the tool’s own', allow, stop({}), [1, '1: red → yellow allow']],
  ['what a rule found of the cluster stands', allow, stop({ rule: 'last_of_group' }), [1]],
  ['so does what came out of a tool result', allow, stop({ rule: 'taint' }), [1]],
  ['and a black one', allow, stop({ tier: 'black', rule: 'own_guest' }, 'refusal'), [1]],
  ['an operator’s rule that is dropped', '', stop({ rule: 'policy:old' }), [1]],
  ['a black one that is dropped', '', stop({ tier: 'black', rule: 'policy:old' }), [1, '1: black → red base']],
  ['protection that is dropped', '', stop({ tier: 'black', rule: 'protected_guest' }), [1, '1: black → red base']],
  ['an allow that is dropped', '', stop({ tier: 'yellow', rule: 'allow' }), [1, '1: yellow → red base']],
  ['a tag of then', prod, stop({ tags: ['prod'] }), [1, '1: red → black policy:mine']],
  ['no tag then', prod, stop({}), [1]],
  ['the profile of then', '', stop({ tier: 'yellow', rule: 'profile', profile: 'permissive' }), [1]],
  [
    'an older refusal without tier or target',
    'protected: [vm/105]',
    entry('stop_vm', { vmid: 105 }, { rule: 'protected_guest' }, 'refusal'),
    [1],
  ],
  [
    'an older read without target',
    'rules: [{name: a, tools: all, when: {node: pve}, tier: red, because: x}]',
    entry('get_node_status', { node: 'pve' }, { tier: 'green', rule: 'base' }),
    [1, '1: green → red policy:a'],
  ],
  ['a call that never got a verdict', allow, stop({ rule: 'not_run' }, 'refusal'), [0]],
  ['an unknown tool', allow, entry('format_disk', {}, { tier: 'black', rule: 'unknown_tool' }, 'refusal'), [0]],
  ['another kind of entry', allow, stop({}, 'decision'), [0]],
  ['no entry at all', allow, { at: 0, kind: 'call', body: 'doctored' }, [0]],
])('%s', (_name, yaml, each, expected) => {
  expect(replayed(yaml, each)).toEqual(expected)
})

test('a call that was asked and then run is one call, and like changes are counted together', () => {
  const asked = stop({})
  expect(replayed(allow, asked, { ...asked, kind: 'execution' }, stop({}))).toEqual([2, '2: red → yellow allow'])
})
