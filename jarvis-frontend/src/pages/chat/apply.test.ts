import { expect, test } from 'vitest'
import { entriesOf, type LooseEntry } from '../../../test/scenery/entries.ts'
import { offerOf } from './apply.ts'

const ran = [{ type: 'done', runId: 'run_1' }] as unknown as LooseEntry[]
const about = (toolUseId: string, command = 'cmd_1', toolName = 'apply_changes') =>
  ({ toolUseId, toolName, toolInput: { command } }) as const
const card = (id: string, command?: string) =>
  ({ type: 'confirm_needed', ...about(id, command) }) as unknown as LooseEntry
const resolved = (toolUseId: string, decision: string, more = {}) =>
  ({ type: 'confirm_resolved', toolUseId, decision, by: 'mira', ...more }) as unknown as LooseEntry
const started = (id: string) => ({ type: 'tool_use', ...about(id) }) as unknown as LooseEntry
const result = (toolUseId: string, more = {}) =>
  ({ type: 'tool_result', toolUseId, isError: false, ...more }) as unknown as LooseEntry

test.each<[string, LooseEntry[], { asked: number } | undefined]>([
  ['while its run goes on, a model may still ask for it', [], undefined],
  ['after its run', ran, { asked: 0 }],
  ['where a card asks for it', [...ran, card('a')], undefined],
  ['where a card asks for what another command left', [...ran, card('a', 'cmd_2')], { asked: 0 }],
  ['after a denial', [...ran, card('a'), resolved('a', 'denied')], { asked: 1 }],
  [
    'where another card took the place of one',
    [...ran, card('a'), resolved('a', 'cancelled', { replacedBy: 'b' })],
    undefined,
  ],
  ['while it is applied', [...ran, card('a'), resolved('a', 'approved'), started('a')], undefined],
  ['once it was applied', [...ran, card('a'), resolved('a', 'approved'), started('a'), result('a')], undefined],
  [
    'where applying failed',
    [...ran, card('a'), resolved('a', 'approved'), started('a'), result('a', { isError: true })],
    { asked: 1 },
  ],
  [
    'where nobody knows whether it was applied',
    [...ran, started('a'), result('a', { isError: true, isUnknown: true })],
    undefined,
  ],
  ['where the rules refused it', [...ran, { type: 'blocked', ...about('a') } as unknown as LooseEntry], undefined],
])('what a command would change is offered: %s', (_, entries, offer) => {
  expect(offerOf(entriesOf(entries, 0), 'cmd_1', 'run_1')).toEqual(offer)
})
