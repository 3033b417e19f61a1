import { once } from 'node:events'
import { appendFileSync, readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { compose } from '../../src/compose.ts'
import { readConfig } from '../../src/config/config.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { setLevel } from '../support/set-level.ts'

/** `dieAt`: in which call, the change (1) or its undo (2), and whether before or after what it does. */
export type ChangeStart = {
  dataDir: string
  jwtSecret: string
  skipMs: number
  dieAt?: `${1 | 2} ${'before' | 'after'}`
  /** Besides the usual; `PVE_URL` leads to a cluster in another process. */
  env?: Record<string, string>
}

process.on('disconnect', () => process.exit())
const started = once(process, 'message')
process.send?.('loaded')
const [{ dataDir, jwtSecret, skipMs, dieAt, env }] = (await started) as [ChangeStart]

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
  clock: { ...systemClock, now: () => Date.now() + skipMs },
})
jarvis.http.listen(0, '127.0.0.1', () => {
  process.send?.({ url: `http://127.0.0.1:${(jarvis.http.address() as AddressInfo).port}` })
})
