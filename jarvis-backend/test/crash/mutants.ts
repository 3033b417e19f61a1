import type { Claim, ExecutionStore, Outcome } from '../../src/calls/ports.ts'
import type { Replacements } from '../../src/process.ts'
import type { Database } from '../../src/store/sqlite/database.ts'

/** Parts of JARVIS that are broken on purpose. */
export type Broken = Pick<Replacements, 'executions' | 'database'>

/** Orders that look right and are not; the experiment must catch each. */
export const mutants = {
  /** Act before claim: the claim is written only when the call settles. */
  'act-before-claim': {
    executions(store: ExecutionStore): ExecutionStore {
      const held = new Map<string, Claim>()
      const real = { claim: store.claim.bind(store), settle: store.settle.bind(store) }
      return Object.assign(store, {
        claim: (claim: Claim) => void held.set(claim.toolUseId, claim),
        settle(toolUseId: string, at: number, outcome: Outcome) {
          const claim = held.get(toolUseId)
          if (claim !== undefined) real.claim(claim)
          held.delete(toolUseId)
          real.settle(toolUseId, at, outcome)
        },
      })
    },
  },
  /** Recover to pending: at the next start, what was begun and not settled counts as not begun. */
  'recover-to-pending': {
    database(database: Database): Database {
      database.sql.exec('DELETE FROM executions WHERE settled_at IS NULL')
      return database
    },
  },
} satisfies Record<string, Broken>

export type Mutant = keyof typeof mutants
