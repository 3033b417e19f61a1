import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../../src/lib/clock.ts'
import { type Around, listen, type Served } from './listen.ts'

/** `skipMs`: how far its clock is ahead. */
export type AlertStart = { dataDir: string; skipMs: number }

/** A clock that stands still until somebody lets it go, and is fast from then on: what waits for half a minute waits a second. */
function createHurriedClock(skipMs: number, speed: number): Clock & { go(): void } {
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

/** A server whose time begins with `go`. What it tells browsers is written to a file, and reaches `message begun` and `message sent`. */
export async function serveAlerts({ dataDir, skipMs }: AlertStart, around: Around): Promise<Served> {
  const clock = createHurriedClock(skipMs, 30)
  const served = await listen(around, dataDir, {
    clock,
    push: {
      publicKey: 'the-public-key',
      async send(_to, { payload }) {
        around.reach('message begun')
        appendFileSync(join(dataDir, 'messages'), `${payload}\n`)
        around.reach('message sent')
        return { kind: 'sent' }
      },
    },
  })
  return { ...served, go: clock.go }
}
