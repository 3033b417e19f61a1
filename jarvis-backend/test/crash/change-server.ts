import { once } from 'node:events'
import { appendFileSync, readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Model } from '../../src/agent/model.ts'
import { compose } from '../../src/compose.ts'
import { readConfig } from '../../src/config/config.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { newId } from '../../src/lib/ids.ts'
import { noUsage } from '../../src/protocol/index.ts'
import { setLevel } from '../support/set-level.ts'
import { observed } from './observed-database.ts'

/** `dieAt`: in which call, the change (1) or its undo (2), and whether before or after what it does; or what is written. */
export type ChangeStart = {
  dataDir: string
  jwtSecret: string
  skipMs: number
  dieAt?: `${1 | 2} ${'before' | 'after'}` | `insert ${string}`
  /** The calls of the plan that the model proposes; it says no more than that it is done. */
  proposes?: object[]
  /** Besides the usual; `PVE_URL` leads to a cluster in another process. */
  env?: Record<string, string>
}

process.on('disconnect', () => process.exit())
const started = once(process, 'message')
process.send?.('loaded')
const [{ dataDir, jwtSecret, skipMs, dieAt, proposes, env }] = (await started) as [ChangeStart]

// What a cluster would keep: each line is one change.
const record = join(dataDir, 'levels')
const lines = () => readFileSync(record, 'utf8').trim().split('\n').map(Number)
const die = () => process.kill(process.pid, 'SIGKILL')
const level = {
  get value() {
    return lines().at(-1) ?? 0
  },
  set value(to: number) {
    const call = lines().length
    if (dieAt === `${call} before`) die()
    else appendFileSync(record, `${to}\n`)
    if (dieAt === `${call} after`) die()
  },
  changes: [],
}
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
  tools: [setLevel(level)],
  ...(proposes && { model: proposing(proposes) }),
  database: (database) =>
    observed(database, (point) => {
      if (point === dieAt) die()
    }),
  clock: { ...systemClock, now: () => Date.now() + skipMs },
})

/** As the model of the suite's other programs, but it outlives a restart: what it says follows from what it was told. */
function proposing(steps: object[]): Model {
  return {
    id: 'scripted/model',
    async generate({ messages }) {
      const last = messages.at(-1)
      const isAnswered = last?.role === 'user' && last.results.length > 0
      const call = { type: 'tool_call' as const, toolUseId: newId('tu'), toolName: 'propose_plan' }
      return isAnswered
        ? { content: [{ type: 'text', text: 'Noted.' }], stopReason: 'end_turn', usage: noUsage }
        : { content: [{ ...call, toolInput: { goal: 'x', steps } }], stopReason: 'tool_use', usage: noUsage }
    },
  }
}
jarvis.http.listen(0, '127.0.0.1', () => {
  process.send?.({ url: `http://127.0.0.1:${(jarvis.http.address() as AddressInfo).port}` })
})
