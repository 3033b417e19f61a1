import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Content, noUsage } from 'protocol'
import { foldingSystem } from '../../src/agent/context/prose.ts'
import type { Model, ModelRequest } from '../../src/agent/model.ts'
import { newId } from '../../src/lib/ids.ts'
import { type Around, listen } from './listen.ts'

/** `tokensOfCall`: what each call of the model uses. */
export type TalkStart = { dataDir: string; tokensOfCall: number }

/** A server whose model reaches `model KIND N` as it is called for the Nth time in this life, by what it is called for. */
export function serveTalk({ dataDir, tokensOfCall }: TalkStart, around: Around) {
  const times = new Map<string, number>()
  /** Writes outside of JARVIS that the model was called. */
  function called(kind: 'turn' | 'last' | 'fold') {
    const count = (times.get(kind) ?? 0) + 1
    times.set(kind, count)
    appendFileSync(join(dataDir, 'calls'), `${kind}\n`)
    around.reach(`model ${kind} ${count}`)
  }
  const model: Model = {
    id: 'scripted/model',
    mostOutputTokens: () => 1_000,
    async generate(request) {
      const kind = request.system === foldingSystem ? 'fold' : request.mayCallTools ? 'turn' : 'last'
      called(kind)
      const content: Content = kind === 'turn' ? answer(request) : { type: 'text', text: 'That is all.' }
      const stopReason = content.type === 'text' ? 'end_turn' : 'tool_use'
      return { content: [content], stopReason, usage: { ...noUsage, inputTokens: tokensOfCall } }
    },
  }
  return listen(around, dataDir, { model }, { JARVIS_TITLES: 'off' })
}

const reads = ['get_cluster_status', 'get_vms', 'get_containers', 'get_storage']

/** Looks at the cluster again and again where a message says so; answers the others at once. */
function answer({ messages }: ModelRequest): Content {
  const person = messages.findLast((message) => message.role === 'user' && message.results.length === 0)
  if (person?.role !== 'user' || !person.text.startsWith('Look')) return { type: 'text', text: 'Yes.' }
  // Calls that repeat would end the run as stuck.
  const toolName = reads[messages.length % reads.length] ?? ''
  return { type: 'tool_call', toolUseId: newId('tu'), toolName, toolInput: {} }
}
