import fc from 'fast-check'
import { type Content, noUsage } from 'protocol'
import { expect, test } from 'vitest'
import { patienceMs, runs } from '../../scripts/property-runs.ts'
import { toMessages } from '../src/agent/conversation.ts'
import type { Message } from '../src/agent/model.ts'
import type { StoredEntry } from '../src/agent/sessions/transcript-store.ts'
import { anthropicEncoder } from '../src/providers/anthropic/request.ts'
import { firstForm, formAfter } from '../src/providers/openai-compatible/form.ts'
import { chatRequest } from '../src/providers/openai-compatible/request.ts'
import { responsesRequest } from '../src/providers/openai-responses/request.ts'
import { chatServers, refusedBy, refusedByAnthropic, refusedByResponses } from './contracts/strict-servers.ts'

/** Models by what each seals its turns with. */
const models = {
  'anthropic/claude-opus-4-8': (n: number): Content[] => [
    { type: 'thinking', text: 'Hm', signature: `ant ${n}`, after: 'x' },
  ],
  'google/gemini-3-pro': () => [],
  'openai/gpt-5.4': (n: number): Content[] => [
    { type: 'thinking', text: 'Hm', signature: JSON.stringify({ id: `rs_${n}`, encrypted_content: `oai ${n}` }) },
  ],
  'azure/gpt-5.4': (n: number): Content[] => [
    { type: 'thinking', text: 'Hm', signature: JSON.stringify({ id: `rs_${n}`, encrypted_content: `azure ${n}` }) },
  ],
  'deepseek/deepseek-chat': (): Content[] => [{ type: 'thinking', text: 'Hm', isWantedBack: true }],
  'mistral/mistral-small': () => [],
}
const names = Object.keys(models) as (keyof typeof models)[]
type Outcome = 'result' | 'denied' | 'blocked' | 'none'
type Act =
  | { do: 'ask' }
  | { do: 'break off' }
  | { do: 'stuck' }
  | { do: 'fold' }
  | { do: 'answer'; model: (typeof names)[number]; text: string; calls: Outcome[] }

const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom<Act>({ do: 'ask' }, { do: 'break off' }, { do: 'stuck' }, { do: 'fold' }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('answer' as const),
      model: fc.constantFrom(...names),
      text: fc.constantFrom('', '', 'Let me see.', ' \n'),
      calls: fc.array(fc.constantFrom<Outcome>('result', 'result', 'denied', 'blocked', 'none'), { maxLength: 3 }),
    }),
  },
)

const fold = { type: 'compaction', what: 'turns', why: 'asked', count: 1, facts: [], text: 'Earlier.' }

function entriesOf(acts: readonly Act[]): StoredEntry[] {
  const entries: StoredEntry[] = []
  const add = (entry: object) =>
    entries.push({ seq: entries.length + 1, runId: 'run_1', at: 0, ...entry } as StoredEntry)
  const ask = () => add({ type: 'user', messageId: 'm', text: 'And?', by: 'operator' })
  ask()
  for (const [n, act] of acts.entries()) {
    if (act.do === 'ask') ask()
    else if (act.do === 'stuck') add({ type: 'stuck', text: 'The same again.' })
    else if (act.do === 'fold') add({ ...fold, upTo: entries.length - 1 })
    else if (act.do === 'break off') {
      const content = [{ type: 'text', text: 'Half an' }]
      add({ type: 'assistant', model: names[0], content, usage: noUsage, stopReason: 'interrupted' })
    } else {
      const ids = act.calls.map((_, i) => `tu_${n}_${i}`)
      const google = { thought_signature: `gem ${n}` }
      const content = [
        ...models[act.model](n),
        ...(act.text === '' ? [] : [{ type: 'text', text: act.text }]),
        ...ids.map((toolUseId, i) => ({
          type: 'tool_call',
          toolUseId,
          toolName: 'get_vms',
          toolInput: {},
          ...(act.model.startsWith('google') && i === 0 && { extra: { google } }),
        })),
      ]
      const stopReason = ids.length > 0 ? 'tool_use' : 'end_turn'
      add({ type: 'assistant', model: act.model, content, usage: noUsage, stopReason })
      for (const [i, outcome] of act.calls.entries()) {
        const toolUseId = ids[i]
        if (outcome === 'denied') add({ type: 'confirm_resolved', toolUseId, decision: 'denied', by: 'operator' })
        else if (outcome === 'blocked') add({ type: 'blocked', toolUseId, reason: 'No.' })
        else if (outcome === 'result')
          add({ type: 'tool_result', toolUseId, result: '', summary: '', isError: false, durationMs: 1 })
      }
    }
  }
  ask()
  return entries
}

const tools = [{ name: 'get_vms', description: 'x', inputSchema: { type: 'object' } }]
const requestOf = (messages: Message[]) => ({ system: 'S', messages, tools, mayCallTools: true })

/** The refusal that is left after a server told everything it wants. */
function stillRefused(server: string, model: string, messages: Message[]): unknown {
  let form = firstForm(model.split('/')[1] ?? '', server.startsWith('a template'), false)
  for (let n = 0; n < 9; n += 1) {
    const options = { id: model, model: 'm', maxTokens: 9, isOpenAi: false, form, refused: new Set<never>() }
    const body = chatRequest(requestOf(messages), options)
    // biome-ignore lint/suspicious/noExplicitAny: the wire
    const refused = refusedBy(server, body as any)
    if (refused === undefined) return undefined
    const next = formAfter(JSON.stringify(refused.json), form, body)
    if (next === undefined) return { refused, messages: body.messages }
    form = next
  }
  return 'there was no end of forms'
}

test('a history that any models made is taken by every other', { timeout: patienceMs(20_000) }, () => {
  fc.assert(
    fc.property(fc.array(act, { maxLength: 14 }), fc.constantFrom(...names), (acts, model) => {
      const messages = toMessages(entriesOf(acts))
      for (const server of chatServers) {
        const isGoogle = server.includes('emini')
        // Only Google's own servers are sent the signatures of Google.
        if (isGoogle || !model.startsWith('google'))
          expect({ [server]: stillRefused(server, isGoogle ? 'google/gemini-3-pro' : model, messages) }).toEqual({
            [server]: undefined,
          })
      }
      const claude = anthropicEncoder({ id: names[0] ?? '', model: 'claude-opus-4-8', maxTokens: 500 })
      const refused = { thinking: new Set<string>(), effort: new Set<never>() }
      expect(refusedByAnthropic(JSON.parse(claude(requestOf(messages), refused).body.toString()))).toBeUndefined()
      const gpt = { id: 'openai/gpt-5.4', model: 'gpt-5.4', maxTokens: 500, refused: new Set<never>() }
      // biome-ignore lint/suspicious/noExplicitAny: the wire
      expect(refusedByResponses(responsesRequest(requestOf(messages), gpt) as any)).toBeUndefined()
    }),
    runs(150),
  )
})
