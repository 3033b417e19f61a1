import { once } from 'node:events'
import { appendFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { foldingSystem } from '../../src/agent/context/prose.ts'
import type { Model, ModelRequest } from '../../src/agent/model.ts'
import { compose } from '../../src/compose.ts'
import { readConfig } from '../../src/config/config.ts'
import { newId } from '../../src/lib/ids.ts'
import { type Content, noUsage } from '../../src/protocol/index.ts'
import { observed } from './observed-database.ts'

/** `tokensOfCall`: what each call of the model uses. `dieAt`: what is written, or `model KIND N`: when the model was called for the Nth time in this life, by what it was called for. */
export type TalkStart = { dataDir: string; jwtSecret: string; tokensOfCall: number; dieAt?: string }
/** A message to a session; absent: to a new one, whose id comes back. */
export type TalkSay = { say: string; sessionId?: string }

process.on('disconnect', () => process.exit())
const started = once(process, 'message')
process.send?.('loaded')
const [{ dataDir, jwtSecret, tokensOfCall, dieAt }] = (await started) as [TalkStart]

const reach = (point: string) => {
  if (point === dieAt) process.kill(process.pid, 'SIGKILL')
}
const times = new Map<string, number>()
/** Writes outside of JARVIS that the model was called. */
function called(kind: 'turn' | 'last' | 'fold') {
  const count = (times.get(kind) ?? 0) + 1
  times.set(kind, count)
  appendFileSync(join(dataDir, 'calls'), `${kind}\n`)
  reach(`model ${kind} ${count}`)
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

const config = readConfig({
  JARVIS_DATA_DIR: dataDir,
  JARVIS_PASSWORD: 'correct-horse-battery',
  JWT_SECRET: jwtSecret,
  LOG_LEVEL: 'error',
  PORT: '0',
  JARVIS_EMBEDDINGS: 'none',
  JARVIS_TITLES: 'off',
})
const jarvis = compose(config, '0.0.0-crash', join(dataDir, 'no-dashboard'), {
  model,
  database: (database) => observed(database, reach),
})
jarvis.http.listen(0, '127.0.0.1', () => {
  process.send?.({ url: `http://127.0.0.1:${(jarvis.http.address() as AddressInfo).port}` })
})
process.on('message', ({ say: text, sessionId }: TalkSay) => {
  const sent = jarvis.hub.start({ text, by: 'operator', ...(sessionId !== undefined && { sessionId }) })
  process.send?.({ sessionId: sent.sessionId })
})
