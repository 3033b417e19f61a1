import { type Entry, noUsage, type TurnStop } from 'protocol'
import { expect, test } from 'vitest'
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
const answer: Entry = { ...turn('end_turn'), content: [{ type: 'text', text: 'Yes.' }] } as Entry
const asText: Entry = { ...answer, unmade: { why: 'text', toolNames: ['get_vms'] } } as Entry
const anew = (times: number, mayCallTools = true) => ({ type: 'ask_again', times, mayCallTools })
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
    content: [{ type: 'tool_call', toolUseId, toolName: 'get_vms', toolInput: { node: 'pve' } }],
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
  ['an answer ends the run', [user, answer], end('end_turn')],
  ['a turn without a word is asked for again', [user, turn('end_turn')], anew(1)],
  ['the second one is told apart', [user, turn('end_turn'), turn('end_turn')], anew(2, false)],
  ['so is one after a call', [user, turn('end_turn'), turn('tool_use', 'a'), result('a')], call(false)],
  ['a call as text is answered by the model once', [user, asText], call(true)],
  ['the second one ends the run', [user, asText, asText], end('unanswered')],
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
    'and then it ends, whatever was said',
    [user, turn('tool_use', 'a'), result('a'), turn('pause_turn'), answer],
    end('loop_limit'),
  ],
  [
    'and where nothing was said, it is asked for again as elsewhere',
    [user, turn('tool_use', 'a'), result('a'), turn('pause_turn'), turn('end_turn')],
    anew(1, false),
  ],
])('%s', (_what, entries, expected) => {
  expect(nextStep(entries, 2)).toMatchObject(expected)
})

test('a typed command ends with its result', () => {
  const command: Entry = { ...turn('tool_use', 'a'), madeBy: 'operator' } as Entry
  expect(nextStep([user, command, result('a')], 2)).toEqual({ type: 'end', stopReason: 'end_turn' })
})

test('calls that were handed out to the program that asked end the run, and the results of other calls do not', () => {
  const asked = [user, turn('tool_use', 'a', 'b'), result('a')]
  const handedOut = { ...result('b'), isHandedOut: true } as Entry
  expect(nextStep([...asked, handedOut], 2)).toEqual(end('end_turn'))
  expect(nextStep([...asked, result('b')], 2)).toEqual(call(true))
  expect(nextStep([...asked, handedOut, turn('tool_use', 'c'), result('c')], 3)).toEqual(call(true))
})

const giveUp = { type: 'give_up' }
const times = (n: number, outcome: (toolUseId: string) => Entry) =>
  repeated(...Array.from({ length: n }, () => outcome))
/** Turns that ask for one of two things in turn, `n` times each. */
const inTurn = (n: number, ...outcomes: ((toolUseId: string) => Entry)[]) =>
  Array.from({ length: n }, (_, i) =>
    outcomes.flatMap((outcome, j) => [
      j === 0 ? turn('tool_use', `c${i}${j}`) : other(`c${i}${j}`),
      outcome(`c${i}${j}`),
    ]),
  ).flat()
const again: Entry = { ...user, messageId: 'msg_2' } as Entry

test.each<[string, Entry[], object]>([
  ['the same outcome four times asks once more', [user, ...times(4, result)], call(true)],
  ['the fifth time it is stuck', [user, ...times(5, result)], giveUp],
  ['so it is where a call is refused', [user, ...times(5, blocked)], giveUp],
  ['so it is where a person says no', [user, ...times(5, denied)], giveUp],
  ['five calls in one turn are one', [user, turn('tool_use', 'a', 'b'), result('a'), result('b')], call(true)],
  [
    'what comes in between begins anew',
    [user, ...times(3, result), other('o'), result('o'), ...repeated(result).slice(0, 2), ...times(3, result)],
    call(true),
  ],
  ['a cycle of two that came twice goes on', [user, ...inTurn(2, result, result)], call(true)],
  ['a cycle of two that came three times is stuck', [user, ...inTurn(3, result, result)], giveUp],
  ['so it is where one of them is denied', [user, ...inTurn(3, result, denied)], giveUp],
  [
    'clocks, uptimes and counters are no other outcome',
    [user, ...repeated(told('up 1 d 2 h'), told('up 1 d 3 h'), told('up 4 d'), told('up 5 d'), told('up 6 d'))],
    giveUp,
  ],
  [
    'so it is where a failure differs in its figures alone',
    [user, ...repeated(...['9 s', '1.5 min', '2 min', '1 h', '3 h'].map((ago) => fails(`seen ${ago} ago`)))],
    giveUp,
  ],
  [
    'another failure each time is none of it',
    [user, ...repeated(...['no way in', 'no node', 'no right', 'no guest', 'no disk'].map(fails))],
    call(true),
  ],
  [
    'polling with a result that changes is none of it',
    [user, ...repeated(...['1 %', '2 %', '3 %', '4 %', '5 %', '6 %'].map((share) => told(`copied ${share}`)))],
    call(true),
  ],
  [
    'nor is a cycle whose results change',
    [user, ...repeated(told('1'), result, told('2'), result, told('3'), result)],
    call(true),
  ],
  ['a person’s message begins anew', [user, ...times(4, result), again, ...times(4, result)], call(true)],
  [
    'after the line that says so the run is over, with an answer or without',
    [user, ...times(5, result), { ...place, type: 'stuck', text: 'I made the same call.' } as Entry],
    end('stuck'),
  ],
  [
    'so it is at a limit',
    [user, { ...place, type: 'budget', what: 'stopped', text: 'This run may cost $1.00.' } as Entry, turn('end_turn')],
    end('budget'),
  ],
  [
    'a line that a limit is near ends nothing',
    [user, { ...place, type: 'budget', what: 'near', text: '$0.06 is left.' } as Entry],
    call(true),
  ],
])('%s', (_what, entries, expected) => {
  expect(nextStep(entries, 99)).toMatchObject(expected)
})
