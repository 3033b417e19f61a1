import { type Content, noUsage } from 'protocol'
import { z } from 'zod'
import type { Model, ModelRequest } from '../../src/agent/model.ts'
import { noTarget } from '../../src/gate/effect.ts'
import { newId } from '../../src/lib/ids.ts'
import { defineTool } from '../../src/tools/tool.ts'

/** A question to the main agent. */
export const asks = (content: string) => ({ model: 'jarvis', messages: [{ role: 'user' as const, content }] })

/**
 * A model that does what the newest message says: calls the tools that stand in it, as `call stop_vm {"vmid":103}`, tells of what came of
 * them, or repeats the message. Before a message with `think` it thinks.
 */
export function obedient(): Model & { requests: ModelRequest[] } {
  const requests: ModelRequest[] = []
  return {
    id: 'scripted/model',
    requests,
    async generate(request, sink) {
      requests.push(structuredClone(request))
      const last = request.messages.at(-1)
      if (last?.role !== 'user') throw new Error('a turn without a question')
      const tell = (text: string, before: Content[] = []) => {
        for (const word of text.split(/(?<= )/)) sink.text(word)
        return { content: [...before, { type: 'text' as const, text }], stopReason: 'end_turn' as const, usage: used }
      }
      if (last.results.length > 0)
        return tell(`It came to this: ${last.results.map(({ text }) => text.split('\n')[0]).join(' | ')}`)
      const thoughts: Content[] = last.text.includes('think') ? [{ type: 'thinking', text: 'Let me see.' }] : []
      if (thoughts.length > 0) for (const word of ['Let me ', 'see.']) sink.thinking(word)
      const wanted = [...last.text.matchAll(/call (\w+) (\{.*?\})(?= call|$)/g)]
      if (wanted.length === 0) return tell(`You said: ${last.text}`, thoughts)
      const calls = wanted.map(
        ([, toolName = '', input = '{}']): Content => ({
          type: 'tool_call',
          toolUseId: newId('tu'),
          toolName,
          toolInput: JSON.parse(input) as Record<string, unknown>,
        }),
      )
      return { content: [...thoughts, ...calls], stopReason: 'tool_use', usage: used }
    },
  }
}
export const used = { ...noUsage, inputTokens: 10, outputTokens: 5, cacheReadTokens: 3, cacheWriteTokens: 2 }

/** A red tool without a cluster, and what it wrote. @param wrote told of each line as it is written */
export function noting(wrote: (line: string) => void | Promise<void> = () => {}) {
  const lines: string[] = []
  const tool = defineTool({
    name: 'note_down',
    title: 'Note down',
    description: 'Writes a line outside of JARVIS.',
    tier: 'red',
    timeoutMs: 10_000,
    input: z.strictObject({ line: z.string() }),
    touches: [{ kind: 'config', on: 'site' }],
    effects: ({ line }) => [{ kind: 'config', on: 'site', target: noTarget, sentence: `The line ${line} is written.` }],
    async run({ line }) {
      await wrote(line)
      lines.push(line)
      return { text: 'Written.', summary: 'written' }
    },
  })
  return { tool, lines }
}
