import type { NetworkTimers, TimerEnd } from 'homelab-ports/ports'
import { type Change, JarvisError, type ToolCall } from 'protocol'
import { describe, type Redactor, type World } from '../../gate/index.ts'
import { type Clock, oldBefore } from '../../lib/clock.ts'
import type { Preview, ToolContext, Undo } from '../../tools/tool.ts'
import type { CallContext } from '../call.ts'
import type { Ready } from '../judgement.ts'
import type { Journal, Outcome, Transactions } from '../ports.ts'
import { type ChangeStore, type StoredChange, shownChange, undoOf } from './change.ts'
import { keepChange } from './keep.ts'

const disarmWithinMs = 20_000
const keptForMs = 90 * 24 * 60 * 60_000
/** States from which a change can be taken back. */
const undoable = ['made', 'armed', 'unknown'] as const

/** A call that begins. `approvedBy`: the person who decided its card, or whose grant covers it. */
export type Begun = { context: CallContext; approvedBy: string | undefined }

/** The facts of a change that the journal records together with its claim. `goesBackAt`: Unix ms. */
type JournalledChange = {
  undo: Undo
  later?: NonNullable<Preview['later']>
  goesBackAt?: number
  timerOn?: string
}

export type ChangeParts = {
  store: ChangeStore
  journal: Journal
  transactions: Transactions
  redactor: Redactor
  clock: Clock
  world: () => World
  timers?: Pick<NetworkTimers, 'disarm'> | undefined
  /** Called after each change of the list. */
  changed(): void
}

/** The record of the changes that JARVIS made, each with the call that takes it back. */
export class Changes {
  readonly #parts: ChangeParts

  constructor(parts: ChangeParts) {
    this.#parts = parts
  }

  /**
   * Records a call that begins, in the transaction of its claim. @returns the change's facts for the journal
   * @throws JarvisError `conflict` if the call takes back a change that another call is taking back
   */
  begin(call: ToolCall, ready: Ready, { context, approvedBy }: Begun): JournalledChange {
    const { store, transactions, redactor, clock, changed } = this.#parts
    const { toolUseId: id, toolName } = call
    const { tool, input, effects, target, preview, verdict } = ready
    const world = this.#parts.world()
    const at = clock.now()
    const undone = tool.undoes?.(input)
    if (undone !== undefined && !store.move(undone, undoable, { state: 'undoing' }))
      throw new JarvisError('conflict', 'This change is being undone, or was undone before. Nothing was run.')
    const undo = undoOf(ready, world, redactor)
    const makes = madeGuest(ready, world)
    const { sentence = toolName } = redactor.value(
      describe({ toolName, effects: redactor.value([...effects]), verdict }, world, at),
    )
    const later = preview?.later && redactor.value(preview.later)
    const goesBackAt = store.begin({
      id,
      sessionId: context.sessionId,
      toolName,
      toolInput: redactor.value(call.toolInput),
      target: redactor.value(target),
      requestedBy: context.principal,
      sentence,
      at,
      undo,
      ...(makes !== undefined && { makes }),
      ...(undone !== undefined && { undoes: undone }),
      ...(later && { later }),
      ...(preview?.timerOn !== undefined && { timerOn: preview.timerOn }),
      ...(approvedBy !== undefined && { approvedBy }),
    })
    transactions.afterCommit(changed)
    const timerOn = goesBackAt === undefined ? undefined : preview?.timerOn
    return {
      undo,
      ...(later && { later }),
      goesBackAt,
      timerOn,
    }
  }

  /** Returns facts for a running call: when its change goes back by itself, and the undone change whose node still has a timer. */
  contextOf(id: string, undone: string | undefined): Pick<ToolContext, 'goesBack' | 'timerOf'> {
    const { store, clock } = this.#parts
    const goesBackAt = store.get(id)?.goesBackAt
    const isTimed = undone !== undefined && store.get(undone)?.timerOn !== undefined
    return {
      ...(goesBackAt !== undefined && { goesBack: { id, afterMs: Math.max(0, goesBackAt - clock.now()) } }),
      ...(isTimed && { timerOf: undone }),
    }
  }

  /** Records the end of a call, in the transaction of its result. Does nothing for a call that changes nothing. */
  settle(id: string, outcome: Outcome, why: string): void {
    const { store, transactions, clock, changed } = this.#parts
    const change = store.get(id)
    if (change === undefined) return
    const endedAt = clock.now()
    const made = change.goesBackAt === undefined ? 'made' : 'armed'
    // If the outcome is unknown, the change stays armed: when its time comes, the undo finds out if the change was made.
    const state = outcome === 'failed' ? 'failed' : outcome === 'unknown' && made === 'made' ? 'unknown' : made
    const goesBackAt = state === 'armed' ? change.goesBackAt : undefined
    store.move(id, ['running', 'unknown'], { state, endedAt, goesBackAt })
    if (change.undoes !== undefined) this.#settleUndone(change.undoes, change, { outcome, why, endedAt })
    transactions.afterCommit(changed)
  }

  /**
   * Closes the earlier changes of these tools, or all changes: they can no longer be taken back, and do not go back by themselves.
   * @param because the reason that people see
   */
  close(because: string, tools?: readonly string[]): void {
    const { store, journal, transactions, changed } = this.#parts
    transactions.durably(() => {
      for (const { id, target } of store.close(because, tools))
        journal.append('change', { change: 'not_gone_back', toolUseId: id, target, by: 'jarvis', why: because })
    })
    changed()
  }

  /** Deletes changes that are more than three months old. The journal keeps them. */
  prune(): void {
    this.#parts.store.prune(oldBefore(this.#parts.clock, keptForMs))
  }

  get(id: string): StoredChange | undefined {
    return this.#parts.store.get(id)
  }

  /** Returns the newest change that created this guest. */
  makerOf(vmid: number): StoredChange | undefined {
    return this.#parts.store.makerOf(vmid)
  }

  /** Lists the calls that JARVIS makes by itself after changes, the soonest first. */
  later(): NonNullable<Preview['later']>[] {
    return this.#parts.store.due().flatMap(({ later }) => later ?? [])
  }

  list(query: Parameters<ChangeStore['list']>[0]): Change[] {
    return this.#parts.store.list(query).map(shownChange)
  }

  /** Lists the changes that go back by themselves, the soonest first. */
  armed(): Change[] {
    return this.#parts.store.due().flatMap((change) => (change.state === 'armed' ? [shownChange(change)] : []))
  }

  /** @throws JarvisError `not_found` */
  one(id: string): Change {
    const change = this.#parts.store.get(id)
    if (change === undefined) throw new JarvisError('not_found', 'There is no such change.')
    return shownChange(change)
  }

  /**
   * Keeps a change that would otherwise go back by itself. If its node has a timer for it, the timer is removed first.
   * @throws as `keepChange` does; JarvisError if the node cannot be asked
   */
  async keep(id: string, by: string): Promise<void> {
    const { store, clock, changed } = this.#parts
    const { state, timerOn } = store.get(id) ?? {}
    if (state === 'armed' && timerOn !== undefined) await this.#mustDisarm(id, timerOn)
    keepChange(this.#parts, id, { by, at: clock.now() })
    changed()
  }

  /** Records if the call that has ended took `undone` back. */
  #settleUndone(
    undone: string,
    { id, approvedBy, requestedBy }: StoredChange,
    { outcome, why, endedAt }: { outcome: Outcome; why: string; endedAt: number },
  ): void {
    const { store, journal } = this.#parts
    if (outcome === 'done') {
      const decided = { decidedBy: approvedBy ?? requestedBy.name, decidedAt: endedAt }
      store.move(undone, ['undoing'], { state: 'undone', goesBackAt: undefined, ...decided })
    } else
      store.move(undone, ['undoing'], {
        state: outcome === 'failed' ? 'made' : 'unknown',
        problem: why,
        goesBackAt: undefined,
      })
    journal.append('change', {
      change: outcome === 'done' ? 'undone' : 'not_undone',
      toolUseId: undone,
      by: id,
      why,
    })
  }

  async #mustDisarm(id: string, node: string): Promise<void> {
    const { timers, redactor } = this.#parts
    let end: TimerEnd | undefined
    try {
      end = await timers?.disarm(node, id, { signal: AbortSignal.timeout(disarmWithinMs) })
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      const message = `${node} cannot be asked, so its timer still takes the change back in time: nothing was kept. ${redactor.text(why)}`
      throw new JarvisError('cluster_unreachable', message, { cause: error })
    }
    if (end === 'gone_off') throw new JarvisError('conflict', `${node} has put it back already, by its own timer.`)
  }
}

/** Returns the vmid of the guest that a call creates; undefined if it creates none, or if the vmid is taken. */
function madeGuest({ effects: [first], target }: Ready, { cluster }: World): number | undefined {
  const isNew = !cluster.guests.some(({ vmid }) => vmid === target.vmid)
  return first?.kind === 'create' && first.on === 'guest' && isNew ? target.vmid : undefined
}
