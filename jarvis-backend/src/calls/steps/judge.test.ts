import { createRedactor } from 'redaction/redact'
import { expect, test } from 'vitest'
import type { Walk } from '../call.ts'
import type { Ready } from '../judgement.ts'
import type { Event } from '../states.ts'
import { Judging } from './judge.ts'
import { notBegun, type StepParts } from './parts.ts'

test.each(['green', 'yellow', 'red'] as const)(
  'a %s call whose run is stopped while it is judged does not begin',
  async (tier) => {
    const stop = new AbortController()
    const events: Event[] = []
    const parts = {
      world: () => ({ policy: { limits: { rates: {}, breaker: {} } } }),
      clock: { now: () => 0 },
      cluster: {},
      redactor: createRedactor([]),
      seeingJudge: async () => {
        stop.abort()
        return {
          kind: 'ready',
          verdict: { tier },
          tool: { tier },
          target: { kind: 'none', id: '' },
        } as unknown as Ready
      },
      ways: {
        take: (_: unknown, event: Event) => {
          events.push(event)
          return { state: 'settled', writes: [] }
        },
      },
    } as unknown as StepParts
    const context = { signal: stop.signal, isRehearsal: () => false, principal: { kind: 'chat', name: 'model' } }
    const judging = new Judging(parts, { refusal: () => undefined })
    await judging.judge({ state: 'new', call: { toolName: 'any', toolInput: {} }, context } as unknown as Walk)
    expect(events).toMatchObject([{ type: 'held', message: notBegun }])
  },
)
