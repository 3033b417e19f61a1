import type { Storage } from 'protocol'
import { plainName } from '../../homelab/format.ts'
import type { Measure } from '../check.ts'
import { over } from '../measure.ts'

/** The node of a storage, to continue a sentence: ` on pve`; empty if the storage is shared. */
export const onNode = ({ node }: Pick<Storage, 'node'>): string => (node === undefined ? '' : ` on ${plainName(node)}`)

/** Same as `over`; an unknown value has the level `unseen`. */
export const overOrUnseen = (value: number | null | undefined, of: Parameters<typeof over>[1]): Measure['level'] =>
  value === null || value === undefined ? 'unseen' : over(value, of)
