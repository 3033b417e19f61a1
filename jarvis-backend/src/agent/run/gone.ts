import type { Origin } from '../origin.ts'
import { principalOf } from '../principal.ts'
import type { Run } from '../run.ts'

export type { GoneBecause } from '../ports.ts'

/** True if a right to read is enough for a run’s asker. A client’s call is judged when it is made, and a read-only token makes no change. */
export const looksOnly = (origin: Origin): boolean =>
  origin.kind === 'mcp' || ('isReadOnly' in origin && origin.isReadOnly === true)

/** True if a run acts for a program, or for another person than the first owner. */
export function isOfAnother({ origin, agent }: Pick<Run, 'origin' | 'agent'>): boolean {
  const { token, person } = principalOf(origin, '', agent)
  return token !== undefined || person !== undefined
}
