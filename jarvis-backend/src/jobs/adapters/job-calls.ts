import type { Principal } from 'protocol'
import type { Gate } from '../../calls/room.ts'
import type { JobCalls } from '../job.ts'

type Call = Parameters<JobCalls['isReading']>[0]

/** Asks the gate for its judgement of jobs' calls. */
export class JudgedCalls implements JobCalls {
  readonly #gate: Pick<Gate, 'judge'>

  constructor(gate: Pick<Gate, 'judge'>) {
    this.#gate = gate
  }

  isReading({ toolName, toolInput }: Call): boolean {
    const judged = this.#gate.judge(toolName, toolInput)
    return judged.kind === 'ready' && judged.effects.every(({ kind, isReadOnly }) => kind === 'read' || isReadOnly)
  }

  refusal({ toolName, toolInput }: Call, asker: Principal): string | undefined {
    const judged = this.#gate.judge(toolName, toolInput, { asker })
    return judged.kind === 'ready' ? undefined : judged.verdict.reason
  }
}
