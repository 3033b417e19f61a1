import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Content, noUsage } from 'protocol'
import { z } from 'zod'
import type { Model, ModelRequest } from '../../src/agent/model.ts'
import { noTarget } from '../../src/gate/effect.ts'
import { newId } from '../../src/lib/ids.ts'
import { defineTool } from '../../src/tools/tool.ts'
import { isChild } from '../support/family-model.ts'
import { type Around, listen } from './listen.ts'

/** A server whose model hands its work to another agent, which asks for a red call that writes a line outside of JARVIS. */
export function serveDelegates({ dataDir }: { dataDir: string }, around: Around) {
  const noteDown = defineTool({
    name: 'note_down',
    title: 'Note down',
    description: 'Writes a line outside of JARVIS.',
    tier: 'red',
    timeoutMs: 10_000,
    input: z.strictObject({}),
    touches: [{ kind: 'config', on: 'site' }],
    effects: () => [{ kind: 'config', on: 'site', target: noTarget, sentence: 'A line is written.' }],
    async run() {
      appendFileSync(join(dataDir, 'lines'), 'a line\n')
      return { text: 'Written.', summary: 'written' }
    },
  })
  const model: Model = {
    id: 'scripted/model',
    async generate(request) {
      const content = answer(request)
      return { content: [content], stopReason: content.type === 'text' ? 'end_turn' : 'tool_use', usage: noUsage }
    },
  }
  return listen(around, dataDir, { model, tools: [noteDown] })
}

/** Asks for one call where it has seen no result, and then says what came of it. */
function answer(request: ModelRequest): Content {
  const results = request.messages.flatMap((message) => (message.role === 'user' ? message.results : []))
  const child = isChild(request)
  if (results.length > 0) return { type: 'text', text: child ? 'The line stands.' : `Heard: ${results[0]?.text}` }
  const [toolName, toolInput] = child ? ['note_down', {}] : ['delegate', { agent: 'main', task: 'Write a line.' }]
  return { type: 'tool_call', toolUseId: newId('tu'), toolName, toolInput }
}
