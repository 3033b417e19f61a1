import type { PlanRun } from 'protocol'
import type { Runs } from '../agent/runs.ts'
import type { StoredPlan } from '../calls/plans/plan.ts'
import type { Plans } from '../calls/plans/plans.ts'
import type { Clock } from '../lib/clock.ts'
import type { FollowPlan } from '../tools/plans/plan-tool.ts'
import { endWords } from './guide.ts'

/** The time for which the call that started a plan waits for the plan to end, ms. The plan continues after that. */
const longestMs = 15 * 60_000

/**
 * @returns a function that begins a plan’s run. It waits until the plan ends, a step asks a person, or the maximum time has passed. If the call is
 * stopped, the plan stops after its current step.
 */
export function createFollowing(parts: {
  plans: Pick<Plans, 'get' | 'stop'>
  runs: Pick<Runs, 'take' | 'watch'>
  clock: Clock
  shown(plan: StoredPlan): PlanRun
}): FollowPlan {
  return async (id, { signal, onProgress }) => {
    const begun = require(id)
    const { sessionId, runId } = begun
    const { runs } = parts
    await new Promise<void>((resolve) => {
      const watch = runs.watch(sessionId, {
        isOperator: false,
        tell(event, payload) {
          if (payload.runId !== runId) return
          if (event === 'chat:tool_use' && 'toolName' in payload) onProgress(`Step: ${payload.toolName}`)
          if (event === 'chat:confirm_needed' || event === 'chat:done' || event === 'chat:error') leave()
        },
      })
      const disarm = parts.clock.after(longestMs, leave)
      const onAbort = () => {
        try {
          parts.plans.stop(id, 'whoever asked')
        } catch {
          // The plan has already ended.
        }
        leave()
      }
      function leave() {
        disarm()
        signal.removeEventListener('abort', onAbort)
        setImmediate(() => {
          watch.end()
          resolve()
        })
      }
      signal.addEventListener('abort', onAbort, { once: true })
      runs.take(sessionId, runId)
    })
    const plan = require(id)
    return { plan: parts.shown(plan), words: wordsOf(plan, parts.shown(plan)) }
  }

  function require(id: string): StoredPlan {
    const plan = parts.plans.get(id)
    if (plan === undefined) throw new Error(`The plan ${id} did not begin.`)
    return plan
  }
}

function wordsOf(plan: StoredPlan, { state }: PlanRun): string {
  if (state === 'asks')
    return `${endWords(plan)}\nA step asks a person by itself, because what it rests on has changed. The plan goes on when that is decided.`
  return state === 'running' ? `${endWords(plan)}\nThe plan goes on by itself.` : endWords(plan)
}
