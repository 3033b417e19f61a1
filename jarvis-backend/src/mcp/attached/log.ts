import type { AttachedLogLine } from 'protocol'
import { createLogRing } from '../../lib/log-ring.ts'
import { visible } from './text.ts'

type Source = AttachedLogLine['source']
export type AttachedLog = { write(source: Source, text: string): void; lines(): AttachedLogLine[] }

const kept = 500
const longestLine = 1_000
/** Maximum number of lines per second. Further lines are only counted, so that a flood costs little. */
const mostPerSecond = 100

/** The log of one attached server, redacted before it is kept. */
export function createAttachedLog(now: () => number, redact: (text: string) => string): AttachedLog {
  const ring = createLogRing<Omit<AttachedLogLine, 'id'>>(kept)
  let since = 0
  let written = 0
  let left = 0
  return {
    write(source, text) {
      const at = now()
      if (at - since >= 1_000 || at < since) {
        if (left > 0) ring.add({ at, source: 'jarvis', text: `${left} lines left out.` })
        since = at
        written = 0
        left = 0
      }
      for (const line of text.slice(0, mostPerSecond * longestLine).split('\n')) {
        const shown = visible(line, longestLine)
        if (shown === '') continue
        written += 1
        if (source === 'jarvis' || written <= mostPerSecond) ring.add({ at, source, text: redact(shown) })
        else left += 1
      }
    },
    lines: ring.lines,
  }
}
