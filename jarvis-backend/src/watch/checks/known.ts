import { plainName } from '../../homelab/format.ts'
import { isUnread } from '../../protocol/facts.ts'
import type { ClusterPart, ClusterState, Storage } from '../../protocol/index.ts'
import type { Looked, Measure } from '../check.ts'
import { over, seen } from '../measure.ts'

/** What a check of the state saw, unless the list it looks at is not known at all. */
export function inState(state: ClusterState, part: ClusterPart, measures: () => readonly Measure[]): Looked {
  if (!isUnread(state, part)) return seen(measures())
  return { measures: [], unread: new Map([['*', state.missing[0] ?? `the ${part} could not be read`]]) }
}

/** Goes on from what is said of a storage: ` on pve`; empty where it is shared. */
export const onNode = ({ node }: Pick<Storage, 'node'>): string => (node === undefined ? '' : ` on ${plainName(node)}`)

/** As `over`; a value that is not known is not seen. */
export const overOrUnseen = (value: number | null | undefined, of: Parameters<typeof over>[1]): Measure['level'] =>
  value === null || value === undefined ? 'unseen' : over(value, of)
