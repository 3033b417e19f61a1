import { describe, type Redactor, type World } from '../../gate/index.ts'
import type { Clock } from '../../lib/clock.ts'
import { type Change, JarvisError, type ToolCall } from '../../protocol/index.ts'
import type { CallContext, Ready } from '../call.ts'
import type { Journal, Outcome, Transactions } from '../ports.ts'
import { type ChangeStore, shownChange, undoOf } from './change.ts'
import { keepChange } from './keep.ts'

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
  changed(): void
}) {
  const { store, journal, transactions, redactor, clock } = parts

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
        throw new JarvisError('conflict', 'That is being taken back already, or was. Nothing was run.')
      const undo = undoOf(ready, world, redactor)
      const [first] = effects
      const isNew = !world.cluster.guests.some(({ vmid }) => vmid === target.vmid)
      const makes = first?.kind === 'create' && first.on === 'guest' && isNew ? target.vmid : undefined
      const { sentence = toolName } = redactor.value(
        describe(toolName, redactor.value([...effects]), world, verdict, at),
      )
      const later = preview?.later && redactor.value(preview.later)
      const goesBackAt = store.begin({
        ...{ id, sessionId: context.sessionId, toolName, toolInput: redactor.value(call.toolInput) },
        ...{ target: redactor.value(target), requestedBy: context.principal, sentence, at, undo },
        ...(makes !== undefined && { makes }),
        ...(undone !== undefined && { undoes: undone }),
        ...(later && { later }),
        ...(approvedBy !== undefined && { approvedBy }),
      })
      transactions.afterCommit(parts.changed)
      return { undo, ...(later && { later }), ...(goesBackAt !== undefined && { goesBackAt }) }
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

    /** Nothing that was changed before can be taken back, nor goes back by itself. */
    close(because: string) {
      transactions.durably(() => {
        for (const { id, target } of store.close(because))
          journal.append('change', { change: 'not_gone_back', toolUseId: id, target, by: 'jarvis', why: because })
      })
      parts.changed()
    },

    /** Forgets changes of three months ago; the journal keeps them. */
    prune: () => store.prune(clock.now() - keptForMs),
    get: store.get,
    makerOf: store.makerOf,
    list: (query: Parameters<ChangeStore['list']>[0]): Change[] => store.list(query).map(shownChange),
    /** Those that go back by themselves, soonest first. */
    armed: (): Change[] => store.due().flatMap((change) => (change.state === 'armed' ? [shownChange(change)] : [])),
    /** @throws JarvisError `not_found` */
    one(id: string): Change {
      const change = store.get(id)
      if (change === undefined) throw new JarvisError('not_found', 'There is no such change.')
      return shownChange(change)
    },

    /** Keeps a change that would go back by itself. @throws as `keepChange` does */
    keep(id: string, by: string) {
      keepChange(parts, id, by, clock.now())
      parts.changed()
    },
  }
}

export type Changes = ReturnType<typeof createChanges>
