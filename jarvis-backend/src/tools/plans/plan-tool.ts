import { PlanRun } from 'protocol'
import { z } from 'zod'
import { type Preview, type ToolContext, type ToolOutput, toolOver, type Whose } from '../tool.ts'

/** Waits until the plan that began with this call is over, a step waits for a person, or some minutes have passed. */
export type FollowPlan = (
  id: string,
  context: Pick<ToolContext, 'signal' | 'onProgress'>,
) => Promise<{ plan: PlanRun; words: string }>

/** The parts that the tools over plans act through. */
export type PlanPorts = {
  /** Makes a plan of the proposed calls; changes nothing. @throws Mistake that names the step; JarvisError */
  propose(proposal: unknown, signal: AbortSignal, whose: Whose): Promise<Preview>
  /** Makes the plan that takes another plan back, newest step first. @throws Mistake; JarvisError */
  undo(id: string, signal: AbortSignal, whose: Whose): Promise<Preview>
  follow: FollowPlan
}

export const planTool = toolOver<PlanPorts>()

export const planOutput = z.object({ plan: PlanRun })

/** The ending of a call that started a plan, for the case that the call's answer was lost. */
export const begunPlan = () => ({
  begun: 'Its plan had begun and goes on by itself. Its own lines in this session say how it ends.',
})

/** Timeout of a call that starts a plan, ms. */
export const planTimeoutMs = 20 * 60_000

const seen = {
  running: 'still runs',
  asks: 'a step waits for a person',
  done: 'done',
  stopped: 'stopped',
  unknown: 'a step may have run',
}

/** Follows the plan that a call started, and reports how it went. */
export async function runPlan(
  { toolUseId = '', signal, onProgress }: ToolContext,
  follow: FollowPlan,
): Promise<ToolOutput> {
  const { plan, words } = await follow(toolUseId, { signal, onProgress })
  const { state, steps, why } = plan
  return {
    text: words,
    summary: `${seen[state]}, ${steps.length} ${steps.length === 1 ? 'step' : 'steps'}${why === undefined ? '' : `: ${why}`}`,
    data: { plan },
    ...((state === 'stopped' || state === 'unknown') && { isError: true }),
  }
}
