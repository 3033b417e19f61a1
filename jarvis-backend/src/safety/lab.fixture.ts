import type { Guest, Node } from '../protocol/index.ts'

/** A node of a table's cluster. */
export const nodeOf = (name: string, status: Node['status'] = 'online'): Node => ({ name, status, isProtected: false })

/** A running guest on `pve` called `guest-<vmid>`, unless `more` says otherwise. */
export const guestOf = (vmid: number, more: Partial<Guest> = {}): Guest => ({
  vmid,
  type: 'vm',
  name: `guest-${vmid}`,
  node: 'pve',
  status: 'running',
  isProtected: false,
  uptimeS: 60,
  cpuRatio: 0.5,
  cpuCount: 2,
  ramBytes: 1,
  ramTotalBytes: 2,
  diskBytes: 1,
  diskTotalBytes: 2,
  isHa: false,
  tags: [],
  ...more,
})
