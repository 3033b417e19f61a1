import { once } from 'node:events'
import { appendFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { z } from 'zod'
import { createWebPushSender, type VapidKeys } from '../../src/channels/web-push/sender.ts'
import { compose } from '../../src/compose.ts'
import { readConfig } from '../../src/config/config.ts'
import { noTarget } from '../../src/gate/effect.ts'
import { defineTool } from '../../src/tools/tool.ts'
import { observed } from './observed-database.ts'

/**
 * `dieAt`: what is written, or whether the call has its effect before or after the death. `push`: of a push service on loopback, its authority
 * and the keys that JARVIS is known by.
 */
export type JobStart = {
  dataDir: string
  jwtSecret: string
  dieAt?: string
  env?: Record<string, string>
  push?: { ca: string; keys: VapidKeys }
}

process.on('disconnect', () => process.exit())
const started = once(process, 'message')
process.send?.('loaded')
const [{ dataDir, jwtSecret, dieAt, env, push }] = (await started) as [JobStart]

const reach = (point: string) => {
  if (point === dieAt) process.kill(process.pid, 'SIGKILL')
}
const noteDown = defineTool({
  name: 'note_down',
  title: 'Note down',
  description: 'Writes a line outside of JARVIS.',
  tier: 'yellow',
  timeoutMs: 10_000,
  input: z.strictObject({}),
  touches: [{ kind: 'config', on: 'site' }],
  effects: () => [{ kind: 'config', on: 'site', target: noTarget, sentence: 'A line is written.' }],
  ending: () => ({ look: 'Look at the lines.' }),
  async run() {
    reach('effect begun')
    appendFileSync(join(dataDir, 'lines'), 'a line\n')
    reach('effect done')
    return { text: 'Written.', summary: 'written' }
  },
})
const config = readConfig({
  JARVIS_DATA_DIR: dataDir,
  JARVIS_PASSWORD: 'correct-horse-battery',
  JWT_SECRET: jwtSecret,
  LOG_LEVEL: 'error',
  PORT: '0',
  JARVIS_EMBEDDINGS: 'none',
  ...env,
})
const jarvis = compose(config, '0.0.0-crash', join(dataDir, 'no-dashboard'), {
  tools: [noteDown],
  ...(push && { push: createWebPushSender({ ...push, subject: 'mailto:a@example.org', isAllowed: () => true }) }),
  database: (database) => observed(database, reach),
})
jarvis.http.listen(0, '127.0.0.1', () => {
  process.send?.({ url: `http://127.0.0.1:${(jarvis.http.address() as AddressInfo).port}` })
})
