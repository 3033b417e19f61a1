import type { Storage } from 'protocol'
import { plainName } from '../../homelab/format.ts'
import type { Measure } from '../check.ts'
import { over } from '../measure.ts'

/** Goes on from what is said of a storage: ` on pve`; empty where it is shared. */
export const onNode = ({ node }: Pick<Storage, 'node'>): string => (node === undefined ? '' : ` on ${plainName(node)}`)

/** As `over`; a value that is not known is not seen. */
export const overOrUnseen = (value: number | null | undefined, of: Parameters<typeof over>[1]): Measure['level'] =>
  value === null || value === undefined ? 'unseen' : over(value, of)
