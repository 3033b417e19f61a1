import type { PveReader } from 'homelab-ports/ports'
import type { ClusterState } from 'protocol'
import { z } from 'zod'
import { volumesOf } from '../homelab/operations/guest-config.ts'
import { rowsOf, words } from '../homelab/pve/answers.ts'
import { guestPath } from '../homelab/pve/guest.ts'
import type { Leaning } from './leaning.ts'

const dayMs = 86_400_000
/** Minimum time between two readings, ms, so that a sweep caused by a notification reads nothing here. */
const seldomMs = 50 * 60_000
/** Maximum number of guests whose configurations one sweep reads. In a large cluster, several hourly sweeps read them all. */
const mostGuests = 250
/** Types of storage on the network. The server of such a storage may be a guest or a node of this cluster. */
const network = new Set(['nfs', 'cifs', 'iscsi', 'iscsidirect', 'zfs', 'glusterfs', 'pbs'])
/** Types of network storage that a guest or node named under the policy's `storage` may serve. */
const fileServed = new Set(['nfs', 'cifs', 'iscsi', 'iscsidirect', 'zfs', 'glusterfs'])

const StorageRow = z.object({ storage: z.string(), type: words, server: words, portal: words })
const MemberRow = z.object({ type: z.literal('node'), name: z.string(), ip: words })
const Config = z.record(z.string(), z.unknown())

const Kept = z.object({
  guests: z.record(
    z.string(),
    z.object({
      node: z.string(),
      at: z.number(),
      storages: z.array(z.string()),
      bridges: z.array(z.string()),
      addresses: z.array(z.string()),
    }),
  ),
  servers: z.record(z.string(), z.string()),
})
type Kept = z.output<typeof Kept>

/** Stores the last reading over sweeps and restarts, because the configuration of a storage can no longer be read once the storage is away. */
export interface LeaningStore {
  read(): string | undefined
  write(text: string): void
}

export type LeaningReaderParts = {
  store: LeaningStore
  /** The storage servers that the policy names: `vm/103`, `ct/103`, `node/pve`. */
  named(): readonly string[]
}

type Look = { api: PveReader; state: ClusterState; now: number; signal: AbortSignal }

/** Finds out which objects depend on which, from the configurations of guests and storages, and from the policy. */
export class LeaningReader {
  readonly #parts: LeaningReaderParts
  #kept: Kept
  #shown: Leaning | undefined
  #lookedAt = Number.NEGATIVE_INFINITY

  constructor(parts: LeaningReaderParts) {
    this.#parts = parts
    this.#kept = parse(parts.store.read())
  }

  now(): Leaning {
    this.#shown ??= {
      guests: new Map(Object.entries(this.#kept.guests).map(([vmid, facts]) => [Number(vmid), facts])),
      servers: new Map(Object.entries(this.#kept.servers)),
    }
    return this.#shown
  }

  /** Forgets everything, because another cluster is connected. */
  forget(): void {
    this.#keep({ guests: {}, servers: {} })
  }

  /** Reads configurations that are unknown, or were read more than a day ago. Facts that cannot be read stay as they were. */
  async look(look: Look): Promise<void> {
    if (Math.abs(look.now - this.#lookedAt) < seldomMs) return
    this.#lookedAt = look.now
    const guests = await this.#guests(look)
    const servers = await this.#servers(look, guests)
    this.#keep({ guests, servers })
  }

  async #guests({ api, state, now, signal }: Look): Promise<Kept['guests']> {
    const online = new Set(state.nodes.filter(({ status }) => status === 'online').map(({ name }) => name))
    const guests: Kept['guests'] = {}
    for (const { vmid } of state.guests) {
      const before = this.#kept.guests[vmid]
      if (before !== undefined) guests[vmid] = before
    }
    const late = state.guests.filter(({ vmid, node }) => {
      const before = guests[vmid]
      return online.has(node) && (before === undefined || before.node !== node || now - before.at >= dayMs)
    })
    for (const guest of late.slice(0, mostGuests)) {
      const read = await api.get([...guestPath(guest), 'config'], { current: '1' }, { signal }).catch(() => undefined)
      signal.throwIfAborted()
      const config = Config.safeParse(read)
      if (config.success) guests[guest.vmid] = { node: guest.node, at: now, ...restsIn(config.data) }
    }
    return guests
  }

  async #servers({ api, signal }: Look, guests: Kept['guests']): Promise<Kept['servers']> {
    const storages = await api.get(['storage'], {}, { signal }).catch(() => undefined)
    const members = await api.get(['cluster', 'status'], {}, { signal }).catch(() => undefined)
    signal.throwIfAborted()
    if (storages === undefined) return this.#kept.servers
    return serversOf(rowsOf(StorageRow, storages).rows, {
      nodes: rowsOf(MemberRow, nodesIn(members)).rows,
      guests,
      named: this.#parts.named(),
    })
  }

  #keep(next: Kept): void {
    const text = JSON.stringify(next)
    if (text !== JSON.stringify(this.#kept)) this.#parts.store.write(text)
    this.#kept = next
    this.#shown = undefined
  }
}

function parse(text: string | undefined): Kept {
  try {
    return Kept.parse(JSON.parse(text ?? ''))
  } catch {
    return { guests: {}, servers: {} }
  }
}

const nodesIn = (members: unknown) =>
  Array.isArray(members) ? members.filter((row: { type?: unknown } | null) => row?.type === 'node') : []

/** The storages and bridges in a guest's configuration, and the IP addresses that it sets. */
function restsIn(config: Readonly<Record<string, unknown>>) {
  const values = Object.fromEntries(Object.entries(config).map(([key, value]) => [key, String(value)]))
  const storages = volumesOf(values).flatMap(({ storage }) => storage ?? [])
  const cards = Object.entries(values).filter(([key]) => /^(net|ipconfig)\d+$/.test(key))
  const option = (name: string) =>
    cards.flatMap(([, value]) => new RegExp(`(?:^|,)${name}=([^,/]+)`).exec(value)?.[1] ?? [])
  return {
    storages: [...new Set(storages)],
    bridges: [...new Set(option('bridge'))],
    addresses: [...option('ip'), ...option('ip6')].filter((address) => /[.:]/.test(address)),
  }
}

/** Finds the server of each network storage, by its address or by the policy. A matching name alone proves nothing. */
function serversOf(
  rows: readonly z.output<typeof StorageRow>[],
  known: { guests: Kept['guests']; nodes: readonly z.output<typeof MemberRow>[]; named: readonly string[] },
): Record<string, string> {
  const byAddress = new Map<string, string>()
  for (const { name, ip } of known.nodes) if (ip !== undefined) byAddress.set(ip, `node/${name}`)
  for (const [vmid, { addresses }] of Object.entries(known.guests))
    for (const address of addresses) byAddress.set(address, `guest/${vmid}`)
  const [named, ...others] = known.named
  const byPolicy = others.length > 0 ? undefined : named?.replace(/^(vm|ct)\//, 'guest/')
  return Object.fromEntries(
    rows.flatMap(({ storage, type = '', server, portal }) => {
      if (!network.has(type)) return []
      const address = (server ?? portal)?.replace(/:\d+$/, '')
      const found = byAddress.get(address ?? '') ?? (fileServed.has(type) ? byPolicy : undefined)
      return found === undefined ? [] : [[storage, found]]
    }),
  )
}
