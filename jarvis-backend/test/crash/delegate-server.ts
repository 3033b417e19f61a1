import { once } from 'node:events'
import { appendFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { z } from 'zod'
import type { Model, ModelRequest } from '../../src/agent/model.ts'
import { compose } from '../../src/compose.ts'
import { readConfig } from '../../src/config/config.ts'
import { noTarget } from '../../src/gate/effect.ts'
import { newId } from '../../src/lib/ids.ts'
import { type Content, noUsage } from '../../src/protocol/index.ts'
import { defineTool } from '../../src/tools/tool.ts'
import { isChild } from '../support/family-model.ts'
import { observed } from './observed-database.ts'

/** `dieAt`: what is written, the `nth` time, from 1. */
export type DelegateStart = { dataDir: string; jwtSecret: string; dieAt?: string; nth?: number }

process.on('disconnect', () => process.exit())
const started = once(process, 'message')
process.send?.('loaded')
const [{ dataDir, jwtSecret, dieAt, nth = 1 }] = (await started) as [DelegateStart]

let times = 0
const reach = (point: string) => {
  if (point !== dieAt) return
  times += 1
  if (times === nth) process.kill(process.pid, 'SIGKILL')
}
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

/** Asks for one call where it has seen no result, and then says what came of it. */
function answer(request: ModelRequest): Content {
  const results = request.messages.flatMap((message) => (message.role === 'user' ? message.results : []))
  const child = isChild(request)
  appendFileSync(join(dataDir, 'turns'), `${child ? 'child' : 'parent'} ${results.length}\n`)
  if (results.length > 0) return { type: 'text', text: child ? 'The line stands.' : `Heard: ${results[0]?.text}` }
  const [toolName, toolInput] = child ? ['note_down', {}] : ['delegate', { agent: 'main', task: 'Write a line.' }]
  return { type: 'tool_call', toolUseId: newId('tu'), toolName, toolInput }
}
const model: Model = {
  id: 'scripted/model',
  async generate(request) {
    const content = answer(request)
    return { content: [content], stopReason: content.type === 'text' ? 'end_turn' : 'tool_use', usage: noUsage }
  },
}

const config = readConfig({
  JARVIS_DATA_DIR: dataDir,
  JARVIS_PASSWORD: 'correct-horse-battery',
  JWT_SECRET: jwtSecret,
  LOG_LEVEL: 'error',
  PORT: '0',
  JARVIS_EMBEDDINGS: 'none',
})
const jarvis = compose(config, '0.0.0-crash', join(dataDir, 'no-dashboard'), {
  model,
  tools: [noteDown],
  database: (database) => observed(database, reach),
})
jarvis.http.listen(0, '127.0.0.1', () => {
  const url = `http://127.0.0.1:${(jarvis.http.address() as AddressInfo).port}`
  process.send?.({ url })
})
process.on('message', (message: { say?: string }) => {
  if (message.say === undefined) return
  const { sessionId } = jarvis.hub.start({ text: message.say, by: 'operator' })
  process.send?.({ sessionId })
})
