import { type Change, JarvisError, type ToolCall } from 'protocol'
import { describe, type Redactor, type World } from '../../gate/index.ts'
import type { NetworkTimers, TimerEnd } from '../../homelab/ports.ts'
import { type Clock, oldBefore } from '../../lib/clock.ts'
import type { ToolContext } from '../../tools/tool.ts'
import type { CallContext, Ready } from '../call.ts'
import type { Journal, Outcome, Transactions } from '../ports.ts'
import { type ChangeStore, shownChange, undoOf } from './change.ts'
import { keepChange } from './keep.ts'

const disarmWithinMs = 20_000
const keptForMs = 90 * 24 * 60 * 60_000
/** From these a change can be taken back. */
const undoable = ['made', 'armed', 'unknown'] as const

/** The record of what JARVIS changed, and of what takes each change back. */
export function createChanges(parts: {
  store: ChangeStore
  journal: Journal
  transactions: Transactions
  redactor: Redactor
  clock: Clock
  world: () => World
  timers?: Pick<NetworkTimers, 'disarm'> | undefined
  changed(): void
}) {
  const { store, journal, transactions, redactor, clock } = parts

  async function mustDisarm(id: string, node: string) {
    let end: TimerEnd | undefined
    try {
      end = await parts.timers?.disarm(node, id, { signal: AbortSignal.timeout(disarmWithinMs) })
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      const message = `${node} cannot be asked, so its timer still takes the change back in time: nothing was kept. ${redactor.text(why)}`
      throw new JarvisError('cluster_unreachable', message, { cause: error })
    }
    if (end === 'gone_off') throw new JarvisError('conflict', `${node} has put it back already, by its own timer.`)
  }

  return {
    /**
     * A call begins, in the transaction of its claim. @returns what the journal keeps beside it
     * @throws JarvisError `conflict` where it takes back what is being taken back already
     */
    begin(call: ToolCall, ready: Ready, context: CallContext, approvedBy: string | undefined) {
      const { toolUseId: id, toolName } = call
      const { tool, input, effects, target, preview, verdict } = ready
      const world = parts.world()
      const at = clock.now()
      const undone = tool.undoes?.(input)
      if (undone !== undefined && !store.move(undone, undoable, { state: 'undoing' }))
        throw new JarvisError('conflict', 'This change is being undone, or was undone before. Nothing was run.')
      const undo = undoOf(ready, world, redactor)
      const [first] = effects
      const isNew = !world.cluster.guests.some(({ vmid }) => vmid === target.vmid)
      const makes = first?.kind === 'create' && first.on === 'guest' && isNew ? target.vmid : undefined
      const { sentence = toolName } = redactor.value(
        describe(toolName, redactor.value([...effects]), world, verdict, at),
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
      transactions.afterCommit(parts.changed)
      const timerOn = goesBackAt === undefined ? undefined : preview?.timerOn
      return {
        undo,
        ...(later && { later }),
        ...(goesBackAt !== undefined && { goesBackAt }),
        ...(timerOn !== undefined && { timerOn }),
      }
    },

    /** What a call that runs must know of its change: when that goes back, and whether a node's timer takes it back. */
    contextOf(id: string, undone: string | undefined): Pick<ToolContext, 'goesBack' | 'timerOf'> {
      const goesBackAt = store.get(id)?.goesBackAt
      const isTimed = undone !== undefined && store.get(undone)?.timerOn !== undefined
      return {
        ...(goesBackAt !== undefined && { goesBack: { id, afterMs: Math.max(0, goesBackAt - clock.now()) } }),
        ...(isTimed && { timerOf: undone }),
      }
    },

    /** A call has ended, in the transaction of its result. */
    settle(id: string, outcome: Outcome, why: string) {
      const change = store.get(id)
      if (change === undefined) return
      const endedAt = clock.now()
      const made = change.goesBackAt === undefined ? 'made' : 'armed'
      // Whether an unknown change was made, its undo finds out when its time comes.
      const state = outcome === 'failed' ? 'failed' : outcome === 'unknown' && made === 'made' ? 'unknown' : made
      const goesBackAt = state === 'armed' ? change.goesBackAt : undefined
      store.move(id, ['running', 'unknown'], { state, endedAt, goesBackAt })
      const { undoes: undone } = change
      if (undone !== undefined) {
        const decided = { decidedBy: change.approvedBy ?? change.requestedBy.name, decidedAt: endedAt }
        if (outcome === 'done') store.move(undone, ['undoing'], { state: 'undone', goesBackAt: undefined, ...decided })
        else
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
      transactions.afterCommit(parts.changed)
    },

    /** Nothing that was changed before, by these tools or by all, can be taken back, nor goes back by itself. */
    close(because: string, tools?: readonly string[]) {
      transactions.durably(() => {
        for (const { id, target } of store.close(because, tools))
          journal.append('change', { change: 'not_gone_back', toolUseId: id, target, by: 'jarvis', why: because })
      })
      parts.changed()
    },

    /** Forgets changes of three months ago; the journal keeps them. */
    prune: () => store.prune(oldBefore(clock, keptForMs)),
    get: store.get,
    makerOf: store.makerOf,
    /** What JARVIS does by itself after changes that it made, soonest first. */
    later: () => store.due().flatMap(({ later }) => later ?? []),
    list: (query: Parameters<ChangeStore['list']>[0]): Change[] => store.list(query).map(shownChange),
    /** Those that go back by themselves, soonest first. */
    armed: (): Change[] => store.due().flatMap((change) => (change.state === 'armed' ? [shownChange(change)] : [])),
    /** @throws JarvisError `not_found` */
    one(id: string): Change {
      const change = store.get(id)
      if (change === undefined) throw new JarvisError('not_found', 'There is no such change.')
      return shownChange(change)
    },

    /**
     * Keeps a change that would go back by itself. Where its node has a timer, that is taken away first.
     * @throws as `keepChange` does; JarvisError where the node cannot be asked
     */
    async keep(id: string, by: string) {
      const { state, timerOn } = store.get(id) ?? {}
      if (state === 'armed' && timerOn !== undefined) await mustDisarm(id, timerOn)
      keepChange(parts, id, by, clock.now())
      parts.changed()
    },
  }
}

export type Changes = ReturnType<typeof createChanges>
