import type { Principal } from 'protocol'
import type { ActiveRun } from '../active-run.ts'
import type { Origin } from '../origin.ts'
import { principalOf } from '../principal.ts'
import type { RunParts } from '../run-agent.ts'
import type { RunFacts } from './facts.ts'

/**
 * Why whoever asked at `since`, Unix ms, may not ask any more. `looksOnly`: it is enough that they may look. `sessionId`: where a person wrote to a
 * model. Undefined where they may.
 */
export type GoneBecause = (
  asker: Principal,
  since: number,
  looksOnly: boolean,
  sessionId?: string,
) => string | undefined

/** A client's call is judged as it is made, and a reading token makes no change. */
const looksOnly = (origin: Origin): boolean =>
  origin.kind === 'mcp' || ('isReadOnly' in origin && origin.isReadOnly === true)

/** Whether a run acts for a program, or for another person than the first owner. */
export function isOfAnother({ origin, agent }: Pick<ActiveRun, 'origin' | 'agent'>): boolean {
  const { token, person } = principalOf(origin, '', agent)
  return token !== undefined || person !== undefined
}

/** @returns a function that stops a run whose person was removed or may only look now, or whose token has ended */
export function createGone(
  { store, goneBecause }: Pick<RunParts, 'store' | 'goneBecause'>,
  { principalIn }: Pick<RunFacts, 'principalIn'>,
): (run: ActiveRun) => void {
  return (run) => {
    if (run.isOver || run.abort.signal.aborted) return
    const isWritten = run.origin.kind === 'chat' || run.origin.kind === 'command'
    const written = isWritten ? run.row.sessionId : undefined
    const because = goneBecause(principalIn(run), run.row.at, looksOnly(run.origin), written)
    if (because === undefined) return
    run.endedBecause = because
    run.abortedBy = 'jarvis'
    store.setRunStatus(run.row.id, 'stopping')
    run.abort.abort()
    run.modelAbort.abort()
  }
}
