import type { JobWork } from 'protocol'
import type { Library } from '../../runbooks/library.ts'
import type { Begun, StoredJob, Worker } from '../job.ts'

/** Runs a runbook. Its calls are judged by the gate like any other. */
export class RunbookWorker implements Worker {
  readonly #runbooks: Pick<Library, 'get'>

  constructor(runbooks: Pick<Library, 'get'>) {
    this.#runbooks = runbooks
  }

  isReading(work: JobWork): boolean {
    if (work.kind !== 'runbook') return false
    const { faults, steps } = this.#runbooks.get(work.name)
    return faults.length === 0 && steps.every(({ tier }) => tier === 'green')
  }

  refusal(work: JobWork): string | undefined {
    if (work.kind !== 'runbook') return undefined
    const [fault] = this.#runbooks.get(work.name).faults
    return fault && `the runbook ${work.name} cannot run, line ${fault.line}: ${fault.message}`
  }

  async begin({ work }: StoredJob): Promise<Begun> {
    return work.kind === 'runbook'
      ? { work: { kind: 'call', toolName: 'run_runbook', toolInput: { name: work.name, inputs: work.inputs } } }
      : { state: 'failed', summary: 'It is no runbook.' }
  }
}
