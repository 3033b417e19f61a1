import { expect, test } from 'vitest'
import { type Entry, noUsage, type TurnStop } from '../protocol/index.ts'
import { nextStep } from './next-step.ts'

const place = { seq: 0, runId: 'run_1', at: 0 }
const user: Entry = { ...place, type: 'user', messageId: 'msg_1', text: 'Hi.', by: 'operator' }
const turn = (stopReason: TurnStop, ...callIds: string[]): Entry => ({
  ...place,
  type: 'assistant',
  model: 'scripted/model',
  content: callIds.map((toolUseId) => ({ type: 'tool_call', toolUseId, toolName: 'get_vms', toolInput: {} })),
  usage: noUsage,
  stopReason,
})
const result = (toolUseId: string): Entry => ({
  ...place,
  type: 'tool_result',
  toolUseId,
  result: 'ok',
  isError: false,
  summary: 'ok',
  durationMs: 1,
})
const blocked = (toolUseId: string): Entry => ({
  ...place,
  type: 'blocked',
  toolUseId,
  toolName: 'x',
  toolInput: {},
  reason: 'no',
  rule: 'x',
  tier: 'black',
})
const decided = (toolUseId: string, decision: 'approved' | 'denied' | 'expired' | 'cancelled'): Entry => ({
  ...place,
  type: 'confirm_resolved',
  toolUseId,
  decision,
  by: 'operator',
})

const replaced = (toolUseId: string, replacedBy: string, callId?: string): Entry =>
  ({ ...decided(toolUseId, 'cancelled'), replacedBy, ...(callId !== undefined && { callId }) }) as Entry
const ofCall = (callId: string, entry: Entry): Entry => ({ ...entry, callId }) as Entry

const call = (mayCallTools: boolean) => ({ type: 'call_model', mayCallTools })
const settle = (...ids: string[]) => ({ type: 'settle_calls', calls: ids.map((toolUseId) => ({ toolUseId })) })
const end = (stopReason: string) => ({ type: 'end', stopReason })

/** Turns that call the same with these outcomes. */
const repeated = (...outcomes: ((toolUseId: string) => Entry)[]) =>
  outcomes.flatMap((outcome, i) => [turn('tool_use', `r${i}`), outcome(`r${i}`)])
const told = (text: string) => (toolUseId: string) => ({ ...result(toolUseId), result: text }) as Entry
const fails = (text: string) => (toolUseId: string) => ({ ...told(text)(toolUseId), isError: true }) as Entry
const denied = (toolUseId: string) => decided(toolUseId, 'denied')
const other = (toolUseId: string): Entry =>
  ({
    ...turn('tool_use'),
    ...{ content: [{ type: 'tool_call', toolUseId, toolName: 'get_vms', toolInput: { node: 'pve' } }] },
  }) as Entry

test.each<[string, Entry[], object]>([
  ['a new message asks the model', [user], call(true)],
  ['calls are settled first', [user, turn('tool_use', 'a', 'b')], settle('a', 'b')],
  ['the ones left are settled', [user, turn('tool_use', 'a', 'b'), result('a')], settle('b')],
  ['an approval alone settles nothing', [user, turn('tool_use', 'a'), decided('a', 'approved')], settle('a')],
  ['a denial settles', [user, turn('tool_use', 'a'), decided('a', 'denied')], call(true)],
  ['an expiry settles', [user, turn('tool_use', 'a'), decided('a', 'expired')], call(true)],
  ['a card that another one replaces does not', [user, turn('tool_use', 'a'), replaced('a', 'a2')], settle('a')],
  [
    'the decision on the last card settles its call',
    [user, turn('tool_use', 'a'), replaced('a', 'a2'), replaced('a2', 'a3', 'a'), ofCall('a', decided('a3', 'denied'))],
    call(true),
  ],
  [
    'an approval of the last card settles nothing either',
    [user, turn('tool_use', 'a'), replaced('a', 'a2'), ofCall('a', decided('a2', 'approved'))],
    settle('a'),
  ],
  ['a refusal settles', [user, turn('tool_use', 'a'), blocked('a')], call(true)],
  ['an answer ends the run', [user, turn('end_turn')], end('end_turn')],
  ['a cut answer ends it as such', [user, turn('max_tokens')], end('max_tokens')],
  ['a refusing model ends it as such', [user, turn('refusal')], end('refusal')],
  ['a turn that a restart broke off goes on', [user, turn('interrupted')], call(true)],
  ['a paused turn goes on', [user, turn('pause_turn')], call(true)],
  [
    'the limit gives one more call, without tools',
    [user, turn('tool_use', 'a'), result('a'), turn('tool_use', 'b'), result('b')],
    call(false),
  ],
  ['a pause at the limit too', [user, turn('pause_turn'), turn('pause_turn')], call(false)],
  [
    'and then it ends, whatever came',
    [user, turn('tool_use', 'a'), result('a'), turn('pause_turn'), turn('end_turn')],
    end('loop_limit'),
  ],
])('%s', (_what, entries, expected) => {
  expect(nextStep(entries, 2)).toMatchObject(expected)
})

test('a typed command ends with its result', () => {
  const command: Entry = { ...turn('tool_use', 'a'), madeBy: 'operator' } as Entry
  expect(nextStep([user, command, result('a')], 2)).toEqual({ type: 'end', stopReason: 'end_turn' })
})

test.each<[string, Entry[], object]>([
  ['the same outcome three times asks once more', [user, ...repeated(result, result, result)], call(true)],
  ['the fourth time it is stuck', [user, ...repeated(result, result, result, result)], end('stuck')],
  ['so it is where a call is refused', [user, ...repeated(blocked, blocked, blocked, blocked)], end('stuck')],
  ['so it is where a person says no', [user, ...repeated(denied, denied, denied, denied)], end('stuck')],
  [
    'so it is where others come in between',
    [user, ...repeated(result, result, told('new'), result), other('o'), result('o'), ...repeated(result)],
    end('stuck'),
  ],
  [
    'so it is where a failure differs in its figures alone',
    [
      user,
      ...repeated(fails('seen 9 s ago'), fails('seen 1.5 min ago'), fails('seen 2 min ago'), fails('seen 1 h ago')),
    ],
    end('stuck'),
  ],
  [
    'another failure each time is none of it',
    [user, ...repeated(fails('no way in'), fails('no node'), fails('no right'), fails('no guest'))],
    call(true),
  ],
  [
    'another outcome each time is none of it',
    [user, ...repeated(told('1'), told('2'), told('3'), told('4'))],
    call(true),
  ],
  [
    'nor is the same call in one turn',
    [user, turn('tool_use', 'a', 'b', 'c', 'd'), ...['a', 'b', 'c', 'd'].map(result)],
    call(true),
  ],
])('%s', (_what, entries, expected) => {
  expect(nextStep(entries, 9)).toMatchObject(expected)
})
