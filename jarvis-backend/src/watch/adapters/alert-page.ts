import type { Partial } from 'homelab-ports/ports'
import type { AlertObject, Change, OfferedRunbook, Task } from 'protocol'
import type { Gate } from '../../calls/room.ts'
import type { Foundation } from '../../foundation.ts'
import type { ComposedHomelab } from '../../homelab/room.ts'
import type { Library } from '../../runbooks/library.ts'
import { SqliteExecutionStore } from '../../store/sqlite/calls/confirmations.ts'
import type { StoredAlert } from '../alert.ts'
import type { AlertChange, DetailPorts } from '../detail.ts'

/** Longest time to wait for the tasks around an alert, ms. */
const tasksForMs = 10_000
/** By the cluster's clock, a task may begin up to this long before or after the call that started it, ms. */
const slackMs = 5 * 60_000
const mostChanges = 20

export type AlertPageParts = {
  foundation: Pick<Foundation, 'database' | 'journal'>
  homelab: Pick<ComposedHomelab, 'cluster'>
  gate: Pick<Gate, 'changes'>
  /** The tokens that JARVIS uses at the cluster. Tasks of these tokens are JARVIS's own. */
  tokens: readonly (string | undefined)[]
  runbooks: Pick<Library, 'offers'>
  samples: DetailPorts['samples']
  /** Limits a change to the words that the reader may see. */
  shown(change: Change): Change
}

/** Reads the data for the page of one alert. */
export class AlertPage implements DetailPorts {
  readonly samples: DetailPorts['samples']
  readonly #parts: AlertPageParts
  readonly #executions: SqliteExecutionStore

  constructor(parts: AlertPageParts) {
    this.samples = parts.samples
    this.#parts = parts
    this.#executions = new SqliteExecutionStore(parts.foundation.database)
  }

  async changes(targets: readonly string[], from: number, to: number): Promise<AlertChange[]> {
    const { gate, shown } = this.#parts
    const found = targets.flatMap((target) => gate.changes.list({ target, limit: mostChanges, before: to + 1 }))
    return Promise.all(found.filter(({ at }) => at >= from).map((change) => this.#entryOf(shown(change))))
  }

  tasks(node: string | undefined): Promise<Partial<Task>> {
    const signal = AbortSignal.timeout(tasksForMs)
    return this.#parts.homelab.cluster.tasks({ limit: 200, node }, { signal })
  }

  isOurs({ upid, user, startedAt }: Task): boolean {
    return this.#parts.tokens.includes(user) || this.#executions.upids(startedAt - slackMs).has(upid)
  }

  offers(
    { check, object, inputs }: Pick<StoredAlert, 'check' | 'object' | 'inputs'>,
    names: readonly string[],
  ): OfferedRunbook[] {
    return this.#parts.runbooks.offers(check, {
      object: offerable(object),
      runbooks: names,
      ...(inputs && { inputs }),
    })
  }

  async #entryOf({ id, at, sentence, requestedBy }: Change): Promise<AlertChange> {
    const [entry] = (await this.#parts.foundation.journal.page({ toolUseId: id, limit: 1 })).items
    return { at, sentence, by: requestedBy.name, isOurs: true, ...(entry && { entry: entry.seq }) }
  }
}

/** An alert's object without its unknown parts. */
const offerable = ({ id, name, node, vmid }: AlertObject) => ({
  id,
  name,
  node,
  vmid,
})
