import type { PvePath } from 'homelab-ports/ports'
import type { Guest } from 'protocol'

/** A guest, and the node on which it is now. */
export type Place = { vmid: number; node: string; type: Guest['type'] }

/** Segments of a guest's path in the API. */
export const guestPath = ({ vmid, node, type }: Place): PvePath => ['nodes', node, type === 'vm' ? 'qemu' : 'lxc', vmid]
