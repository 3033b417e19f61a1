import type { ToolCall } from 'protocol'
import { type CallContext, missing, type Walk, type Way } from './call.ts'
import type { Transactions } from './ports.ts'
import { type RecordParts, Records } from './records.ts'
import type { Came } from './run-tool.ts'
import { type Event, next, type Step } from './states.ts'

/** Takes calls from one state to the next, and writes each step in one transaction. */
export class Ways {
  readonly #transactions: Transactions
  readonly #records: Records

  constructor(parts: RecordParts) {
    this.#transactions = parts.transactions
    this.#records = new Records(parts)
  }

  /** Same as `Transactions.untilFree`. */
  untilFree(forever?: 'forever'): Promise<void> | undefined {
    return this.#transactions.untilFree(forever)
  }

  /**
   * Takes the step that an event leads to. @returns undefined if another decision came first, or if the grant has ended since; nothing is written
   * then
   * @throws if the event comes too late or too early
   */
  tryTake(way: Way, event: Event): Step | undefined {
    const step = stepOf(way, event)
    const isDurable = step.writes.some((what) => what.write === 'claim' || what.write === 'decision')
    const work = () => this.#records.write(way, step.writes)
    const isWritten = step.writes.length === 0 || this.#transactions[isDurable ? 'durably' : 'atomically'](work)
    if (!isWritten) return undefined
    way.state = step.state
    return step
  }

  /** Same as `tryTake`. @throws also if nothing was written */
  take(way: Way, event: Event): Step {
    return this.tryTake(way, event) ?? missing()
  }

  /** Stores the answer of a read soon, in one commit together with other writes. */
  async takeSoon(way: Way, event: Event): Promise<Step> {
    const step = stepOf(way, event)
    await this.#transactions.together(() => this.#records.write(way, step.writes))
    way.state = step.state
    return step
  }

  /** Stores that a read runs, soon, in one commit together with other writes. */
  startSoon(way: Way, context: CallContext): Promise<void> {
    return this.#transactions.together(() => this.#records.started(way, context))
  }

  /** Writes to the journal a read that belongs to no run. */
  noteRead(walk: Walk, done: Pick<Came, 'outcome'>): void {
    this.#transactions.atomically(() => this.#records.noteRead(walk, done))
  }

  /** Settles a call that failed because of an error in JARVIS itself. */
  fail(call: ToolCall, context: CallContext, message: string): void {
    this.#transactions.atomically(() => this.#records.fail(call, context, { message }))
  }
}

function stepOf(way: Way, event: Event): Step {
  const step = next(way.state, event)
  if (step === undefined) throw new Error(`A call that is ${way.state} was to be ${event.type}.`)
  if (step.ready !== undefined) way.ready = step.ready
  return step
}
