import { type Content, noUsage, type ToolInput } from 'protocol'
import type { Message, Model } from '../../src/agent/model.ts'
import { newId } from '../../src/lib/ids.ts'
import { problemsOf } from './message-rules.ts'
import type { Reach } from './steps.ts'

export type PlannedCall = { toolName: string; toolInput: ToolInput & { vmid: number } }

/** The message that makes the model ask for `calls`. */
export const messageFor = (title: string, calls: readonly PlannedCall[]) => `${title}\n${JSON.stringify(calls)}`

const callsIn = (message: Message) =>
  message.role === 'user'
    ? message.text.split('\n').flatMap((line) => (line.startsWith('[{') ? (JSON.parse(line) as PlannedCall[]) : []))
    : []
const asks = (message: Message) =>
  message.role === 'assistant' && message.content.some(({ type }) => type === 'tool_call')

/** Says a few words and asks for what the newest message names, or that it is done; remembers nothing itself. */
export const plannedModel = (reach: Reach): Model => ({
  id: 'planned/model',
  async generate({ messages }, sink, signal) {
    const [problem] = problemsOf(messages)
    if (problem !== undefined) throw new Error(`A provider would refuse this: ${problem}.`)
    const newest = messages.findLastIndex((message) => callsIn(message).length > 0)
    const isAsked = messages.slice(newest).some(asks)
    const text = isAsked ? 'That is what came of it.' : 'I shall see to that at once.'
    for (const word of text.split(/(?<= )/)) {
      sink.text(word)
      reach('token')
      await new Promise((said) => setTimeout(said, 1))
      signal.throwIfAborted()
    }
    const wanted = messages[newest]
    const calls = isAsked || wanted === undefined ? [] : callsIn(wanted)
    const content: Content[] = [
      { type: 'text', text },
      ...calls.map((call) => ({ type: 'tool_call' as const, toolUseId: newId('tu'), ...call })),
    ]
    return { content, stopReason: calls.length > 0 ? 'tool_use' : 'end_turn', usage: noUsage }
  },
})
