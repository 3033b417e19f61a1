import type { ToolCall } from 'protocol'
import { type CallContext, missing, type Walk, type Way } from './call.ts'
import { createRecords, type RecordParts } from './records.ts'
import type { Came } from './run-tool.ts'
import { type Event, next, type Step } from './states.ts'

export type Ways = ReturnType<typeof createWays>

/** Takes calls from one state to the next, and writes each step in one transaction. */
export function createWays(parts: RecordParts) {
  const { transactions } = parts
  const { started, fail, noteRead, write } = createRecords(parts)

  function stepOf(way: Way, event: Event): Step {
    const step = next(way.state, event)
    if (step === undefined) throw new Error(`A call that is ${way.state} was to be ${event.type}.`)
    if (step.ready !== undefined) way.ready = step.ready
    return step
  }

  function tryTake(way: Way, event: Event): Step | undefined {
    const step = stepOf(way, event)
    const isDurable = step.writes.some((what) => what.write === 'claim' || what.write === 'decision')
    const work = () => write(way, step.writes)
    const isWritten = step.writes.length === 0 || transactions[isDurable ? 'durably' : 'atomically'](work)
    if (!isWritten) return undefined
    way.state = step.state
    return step
  }

  return {
    untilFree: transactions.untilFree,
    /**
     * @returns undefined where somebody else was first, or the grant has ended since; nothing is written then
     * @throws where the event comes too late or too early
     */
    tryTake,
    /** As `tryTake`. @throws also where nothing is written */
    take: (way: Way, event: Event): Step => tryTake(way, event) ?? missing(),
    /** What came of a read, in one commit with whatever else is stored then. */
    async takeSoon(way: Way, event: Event): Promise<Step> {
      const step = stepOf(way, event)
      await transactions.together(() => write(way, step.writes))
      way.state = step.state
      return step
    },
    /** That a read runs, stored with whatever else is stored then. */
    startSoon: (way: Way, context: CallContext) => transactions.together(() => started(way, context)),
    /** Writes down a read that belongs to no run. */
    noteRead: (walk: Walk, done: Pick<Came, 'outcome'>) => transactions.atomically(() => noteRead(walk, done)),
    /** Settles a call that met a fault of ours. */
    fail: (call: ToolCall, context: CallContext, message: string) =>
      transactions.atomically(() => fail(call, context, message)),
  }
}
