import type { PlanRun, Runbook, ToolInput } from '../../protocol/index.ts'
import { type Preview, type ToolContext, toolOver } from '../tool.ts'

/** What the tools over runbooks act through. */
export type RunbookPorts = {
  list(): Runbook[]
  /** Makes the plan of a runbook, and changes nothing. @throws Mistake naming step and line; JarvisError */
  plan(request: { name: string; inputs: ToolInput }, signal: AbortSignal): Promise<Preview>
  /** Waits until the plan that began with this call is over, or a step waits for a person, or for some minutes. */
  follow(id: string, context: Pick<ToolContext, 'signal' | 'onProgress'>): Promise<{ plan: PlanRun; words: string }>
}

export const runbookTool = toolOver<RunbookPorts>()
