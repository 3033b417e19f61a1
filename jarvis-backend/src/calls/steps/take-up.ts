import type { Walk } from '../call.ts'
import { type Step, stateOf } from '../states.ts'
import type { StepParts } from './parts.ts'

/** @returns a function that resumes a call from what is stored of it; undefined for a call that begins now */
export function createTakeUp({ ways, executions, confirmations }: StepParts) {
  return (walk: Walk): Step | undefined => {
    const { toolUseId } = walk.call
    const claimed = executions.get(toolUseId)
    if (claimed !== undefined) {
      Object.assign(walk, { state: 'running', claimed })
      return ways.take(walk, { type: 'resumed' })
    }
    const stored = confirmations.ofCall(toolUseId)
    if (stored === undefined) return undefined
    const { resolution, ...asked } = stored
    Object.assign(walk, { state: stateOf(resolution?.decision), asked, isTakenUp: true })
    return ways.take(walk, { type: 'resumed' })
  }
}
