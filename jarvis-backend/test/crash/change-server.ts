import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from 'node-kit/clock'
import { noUsage } from 'protocol'
import type { Model } from '../../src/agent/model.ts'
import { newId } from '../../src/lib/ids.ts'
import { setLevel } from '../support/set-level.ts'
import { type Around, listen } from './listen.ts'

export type ChangeStart = {
  dataDir: string
  /** How far its clock is ahead. */
  skipMs: number
  /** The calls of the plan that the model proposes; it says no more than that it is done. */
  proposes?: object[]
  /** Besides the usual; `PVE_URL` leads to a cluster in another process. */
  env?: Record<string, string>
}

/** A server with a tool that sets a level, whose Nth change reaches `N before` and `N after`. The file `levels` holds them all, the first one too. */
export function serveChanges({ dataDir, skipMs, proposes, env }: ChangeStart, around: Around) {
  // The cluster's own record: each line is one change.
  const record = join(dataDir, 'levels')
  const lines = () => readFileSync(record, 'utf8').trim().split('\n').map(Number)
  const level = {
    get value() {
      return lines().at(-1) ?? 0
    },
    set value(to: number) {
      const call = lines().length
      around.reach(`${call} before`)
      appendFileSync(record, `${to}\n`)
      around.reach(`${call} after`)
    },
    changes: [],
  }
  const replace = {
    tools: [setLevel(level)],
    ...(proposes && { model: proposing(proposes) }),
    clock: { ...systemClock, now: () => Date.now() + skipMs },
  }
  return listen(around, dataDir, replace, env)
}

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
