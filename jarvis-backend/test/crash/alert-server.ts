import { once } from 'node:events'
import { appendFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { compose } from '../../src/compose.ts'
import { readConfig } from '../../src/config/config.ts'
import type { Clock } from '../../src/lib/clock.ts'
import { observed } from './observed-database.ts'

/** `dieAt`: what is written, or whether a message has left before or after the death. `skipMs`: how far the clock is ahead. */
export type AlertStart = { dataDir: string; jwtSecret: string; dieAt?: string; skipMs: number }

process.on('disconnect', () => process.exit())
const started = once(process, 'message')
process.send?.('loaded')
const [{ dataDir, jwtSecret, dieAt, skipMs }] = (await started) as [AlertStart]

const reach = (point: string) => {
  if (point === dieAt) process.kill(process.pid, 'SIGKILL')
}

/** A clock that stands still until somebody lets it go, and is fast from then on: what waits for half a minute waits a second. */
function createHurriedClock(speed: number): Clock & { go(): void } {
  const begun = Date.now() + skipMs
  let wentAt: number | undefined
  const waiting = new Set<() => void>()
  return {
    now: () => begun + (wentAt === undefined ? 0 : (Date.now() - wentAt) * speed),
    after(ms, run) {
      let timer: NodeJS.Timeout | undefined
      const start = () => {
        timer = setTimeout(run, ms / speed)
      }
      if (wentAt === undefined) waiting.add(start)
      else start()
      return () => {
        waiting.delete(start)
        clearTimeout(timer)
      }
    },
    go() {
      wentAt = Date.now()
      for (const start of waiting) start()
      waiting.clear()
    },
  }
}

const clock = createHurriedClock(30)
const config = readConfig({
  JARVIS_DATA_DIR: dataDir,
  JARVIS_PASSWORD: 'correct-horse-battery',
  JWT_SECRET: jwtSecret,
  LOG_LEVEL: 'error',
  PORT: '0',
  JARVIS_EMBEDDINGS: 'none',
})
const jarvis = compose(config, '0.0.0-crash', join(dataDir, 'no-dashboard'), {
  clock,
  database: (database) => observed(database, reach),
  push: {
    publicKey: 'the-public-key',
    async send(_to, { payload }) {
      reach('message begun')
      appendFileSync(join(dataDir, 'messages'), `${payload}\n`)
      reach('message sent')
      return { kind: 'sent' }
    },
  },
})
process.on('message', () => clock.go())
jarvis.http.listen(0, '127.0.0.1', () => {
  process.send?.({ url: `http://127.0.0.1:${(jarvis.http.address() as AddressInfo).port}` })
})
