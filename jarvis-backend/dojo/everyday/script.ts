import { noUsage } from 'protocol'
import type { Message, Model } from '../../src/agent/model.ts'
import { namingSystem } from '../../src/agent/sessions/name-session.ts'
import { newId } from '../../src/lib/ids.ts'
import type { Line, Turn } from './conversation.ts'

/** The turn that is played, and the calls that the model made in it, by their ids. */
export type Stage = { turn: Turn; made: Map<string, Line> }

const heartbeat = 'A scheduled look at what the checks found.'

/**
 * A model that does a turn as it is written down. Titles, heartbeats and turns of the demo are the demo's model's.
 * @param stage absent: no turn is played
 */
export function scriptedBy(stage: () => Stage | undefined, demo: Model): Model {
  return {
    id: 'dojo/everyday',
    async generate(request, sink, signal) {
      const { messages, system, mayCallTools } = request
      // The result of a typed call stands in one message with the words that follow it.
      const last = messages.findLastIndex((message) => message.role === 'user' && message.text !== '')
      const asked = messages[last]
      const now = stage()
      const isDemos =
        now === undefined ||
        now.turn.isDemo ||
        system === namingSystem ||
        (asked?.role === 'user' && asked.text.includes(heartbeat))
      if (isDemos) return demo.generate(request, sink, signal)
      const done = messages.slice(last + 1).filter(({ role }) => role === 'assistant').length
      const lines = mayCallTools ? (now.turn.calls[done] ?? []) : []
      if (lines.length === 0) {
        const text = now.turn.tells ?? (resultsIn(messages.slice(last + 1)).join('\n') || 'Well.')
        sink.text(text)
        return { content: [{ type: 'text', text }], stopReason: 'end_turn', usage: noUsage }
      }
      const read = resultsIn(messages)
      const content = lines.map((line) => {
        const toolUseId = newId('tu')
        now.made.set(toolUseId, line)
        return { type: 'tool_call' as const, toolUseId, toolName: line[0], toolInput: filled(line[1], read) }
      })
      return { content, stopReason: 'tool_use', usage: noUsage }
    },
  }
}

const resultsIn = (messages: readonly Message[]): string[] =>
  messages.flatMap((message) => (message.role === 'user' ? message.results.map(({ text }) => text) : []))

/**
 * A value with what was read in place of each text that begins with `$LAST`: the first match of the expression behind it in the newest result
 * that has one; of an expression with a group, the group.
 */
export function filled<T>(value: T, results: readonly string[]): T {
  const walk = (part: unknown): unknown => {
    if (typeof part === 'string') {
      const [, expression] = /^\$LAST (.+)$/.exec(part) ?? []
      return expression === undefined ? part : matchIn(results, new RegExp(expression))
    }
    if (Array.isArray(part)) return part.map(walk)
    if (part === null || typeof part !== 'object') return part
    return Object.fromEntries(Object.entries(part).map(([key, member]) => [key, walk(member)]))
  }
  return walk(value) as T
}

/** @throws Error where no result matches */
function matchIn(results: readonly string[], expression: RegExp): string {
  const [first] = results.toReversed().flatMap((text) => {
    const match = expression.exec(text)
    return match === null ? [] : [match[1] ?? match[0]]
  })
  if (first === undefined) throw new Error(`Nothing that was read matches ${expression}.`)
  return first
}
