import type { ClusterState, Guest } from 'protocol'

/**
 * The objects that guests and storages depend on, according to their configurations and the policy. Configurations that could not be read are left
 * out.
 */
export type Leaning = {
  /** By VMID: the names of the storages of the guest's disks, and of the bridges of its network cards. */
  guests: ReadonlyMap<number, { storages: readonly string[]; bridges: readonly string[] }>
  /** By the name of a storage: the node or guest that serves it: `node/pve`, `guest/103`. */
  servers: ReadonlyMap<string, string>
}

export const noLeaning: Leaning = { guests: new Map(), servers: new Map() }

export type Ground = ReturnType<typeof groundOf>

/** Finds the objects that an object depends on. The ids are those of alerts. */
export function groundOf(state: ClusterState, { guests, servers }: Leaning) {
  const known = new Map(state.guests.map((guest) => [guest.vmid, guest]))
  const ids = new Map<string, string[]>()
  for (const { name, node } of state.storages)
    ids.set(name, [...(ids.get(name) ?? []), node === undefined ? `storage/${name}` : `storage/${node}/${name}`])
  const storageIds = (names: readonly string[], node: string): string[] =>
    names.flatMap((name) =>
      (ids.get(name) ?? []).filter((id) => id === `storage/${name}` || id === `storage/${node}/${name}`),
    )

  const disksOf = ({ vmid, node }: Pick<Guest, 'vmid' | 'node'>): string[] =>
    storageIds(guests.get(vmid)?.storages ?? [], node)
  const bridgesOf = ({ vmid, node }: Pick<Guest, 'vmid' | 'node'>): string[] =>
    (guests.get(vmid)?.bridges ?? []).map((name) => `bridge/${node}/${name}`)

  /** The objects that an object depends on directly, by id. */
  function below(id: string): string[] {
    const [kind, first = '', second] = id.split('/')
    if (kind === 'vm' || kind === 'ct') {
      const guest = known.get(Number(first))
      return guest === undefined ? [] : [`node/${guest.node}`, ...disksOf(guest), ...bridgesOf(guest)]
    }
    if (kind === 'bridge') return [`node/${first}`]
    if (kind !== 'storage') return []
    const server = servers.get(second ?? first)
    return [...(second === undefined ? [] : [`node/${first}`]), ...(server === undefined ? [] : [placeOf(server)])]
  }
  /** Converts a server's id to an id of an alert. The cluster tells if a guest is a VM or a container. */
  function placeOf(server: string): string {
    const guest = server.startsWith('guest/') ? known.get(Number(server.slice(6))) : undefined
    if (guest !== undefined) return `${guest.type}/${guest.vmid}`
    // The policy writes names in lower case.
    const node = state.nodes.find(({ name }) => `node/${name}`.toLowerCase() === server.toLowerCase())
    return node === undefined ? server : `node/${node.name}`
  }
  const guestOf = (vmid: number | undefined) => (vmid === undefined ? undefined : known.get(vmid))

  return {
    /** The storages that hold the guest's disks. */
    disks: (vmid: number | undefined) => wellFrom(guestOf(vmid), disksOf),
    /** The bridges to which the guest's network cards are connected. */
    bridges: (vmid: number | undefined) => wellFrom(guestOf(vmid), bridgesOf),
    /** These places, and everything on which they rest. */
    under(places: readonly string[]): Set<string> {
      const found = new Set(places)
      for (const place of found) for (const next of below(place)) found.add(next)
      return found
    },
  }
}

const wellFrom = (guest: Guest | undefined, of: (guest: Guest) => string[]) => (guest === undefined ? [] : of(guest))
