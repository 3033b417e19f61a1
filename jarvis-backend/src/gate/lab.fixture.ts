import type { Guest, Node, UnitState } from 'protocol'

/** Makes a node for a test table's cluster. */
export const nodeOf = (name: string, status: Node['status'] = 'online'): Node => ({ name, status, isProtected: false })

/** Makes a running guest on `pve` with the name `guest-<vmid>`, unless `more` changes that. */
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

/** Makes a running service under its own name, unless `more` changes that. */
export const unitOf = (service: string, more: Partial<UnitState> = {}): UnitState => {
  const id = service.replace(/\.service$/, '')
  return { id, names: [id], type: 'simple', loadState: 'loaded', activeState: 'active', subState: 'running', ...more }
}
export const runningUnits = (_node: string, service: string) => ({ unit: unitOf(service) })
