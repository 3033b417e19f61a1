import type { BudgetLimits } from 'protocol'
import type { Slices } from '../agent/budgets.ts'
import { usualShare, wrapUpMs } from './defaults.ts'
import { scaled, spentOfRun } from './runs.ts'
import type { Scopes } from './scopes.ts'
import type { SpendingStore } from './spending.ts'

/** Reserves parts of runs’ budgets for child runs. */
export function createSlices(store: SpendingStore, scopes: Scopes): Slices {
  return {
    take(parent, child, share = usualShare) {
      const record = scopes.recordOf(parent)
      const limits = scopes.runLimits(record, parent)
      const spent = spentOfRun(store, parent.runId)
      const left = (unit: 'calls' | 'tokens' | 'usd') => (limits[unit] ?? Number.POSITIVE_INFINITY) - spent[unit]
      const minutes = (limits.minutes ?? Number.POSITIVE_INFINITY) - (parent.activeMs + wrapUpMs) / 60_000
      const taken: BudgetLimits = {
        ...scaled(finite({ calls: left('calls'), tokens: left('tokens'), usd: left('usd') }), share),
        // The child run gets all of the remaining time and not a share, because parent and child work at the same time.
        ...finite({ minutes }),
      }
      if (Object.values(taken).some((most = 0) => most <= 0))
        return { refused: 'The budget of this run leaves nothing for a helper. Answer with what is known.' }
      store.saveRun(record)
      store.saveRun({ ...child, parentId: parent.runId, slice: taken, isOpen: true, raisedUsd: 0, stoodMs: 0 })
      return { taken }
    },
    giveBack(childRunId) {
      const record = store.run(childRunId)
      if (record?.isOpen) store.saveRun({ ...record, isOpen: false })
    },
  }
}

const finite = (limits: Record<string, number>): BudgetLimits =>
  Object.fromEntries(Object.entries(limits).filter(([, most]) => Number.isFinite(most)))
