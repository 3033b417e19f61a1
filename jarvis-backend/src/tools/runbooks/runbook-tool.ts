import type { Runbook, ToolInput } from 'protocol'
import type { FollowPlan } from '../plans/plan-tool.ts'
import { type Preview, toolOver, type Whose } from '../tool.ts'

/** The parts that the tools over runbooks act through. */
export type RunbookPorts = {
  list(): Runbook[]
  /** Makes the plan of a runbook; changes nothing. @throws Mistake that names the step and line; JarvisError */
  plan(request: { name: string; inputs: ToolInput; whose: Whose }, signal: AbortSignal): Promise<Preview>
  follow: FollowPlan
}

export const runbookTool = toolOver<RunbookPorts>()
