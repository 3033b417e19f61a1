import { type Archive, firstArchives } from './archives.ts'
import { createGuestFiles, type GuestFiles, type Seed } from './guests/files.ts'
import type { HostGuest, PveHost } from './host.ts'
import { Refusal } from './refusal.ts'
import type { Parts } from './route.ts'

/** What a cluster keeps besides what its host says of it. */
export type Model = {
  host: PveHost
  files: GuestFiles
  /** What each task said, line by line, by its UPID. */
  logs: Map<string, string[]>
  /** By volume id. */
  archives: Map<string, Archive>
  /** Images to install from, and templates. */
  media: readonly Medium[]
  pools: Map<string, Pool>
  /** What an agent ran, by `vmid/pid`. */
  runs: Map<string, { code: number; out: string; err: string }>
  /** What tests make go wrong. */
  faults: Faults
}

export type Medium = { volid: string; kind: 'iso' | 'vztmpl'; bytes: number }
export type Pool = { comment: string; vmids: Set<number> }

/** What there is from the start. */
export type Seeds = { guests: ReadonlyMap<number, Seed>; media: readonly Medium[]; pools: readonly string[] }

export type Faults = {
  /** How the next task about this guest ends, in Proxmox's words; it changes nothing. */
  failNext: Map<number, string>
  /** The next restore to this id breaks off once its volumes are made. */
  breakRestore: Set<number>
  /** Tasks end so much later, in ms of the cluster's time. */
  lateMs: number
  /** Exit status of the next `srvreload networking` task. The new file is in force all the same. Absent: `OK`. */
  failReload?: string
  /** Guests whose agent does not answer though its guest runs. */
  silentAgents: Set<number>
}

export function createModel(host: PveHost, { guests, media, pools }: Seeds): Model {
  const files = createGuestFiles(host, guests)
  return {
    host,
    files,
    archives: firstArchives({ host, files }),
    logs: new Map(),
    runs: new Map(),
    media,
    pools: new Map(pools.map((name) => [name, { comment: '', vmids: new Set() }])),
    faults: { failNext: new Map(), breakRestore: new Set(), lateMs: 0, silentAgents: new Set() },
  }
}

/** The guest that a path names. @throws Refusal where it is not there, or is of another type. */
export function guestIn({ host }: Model, { node = '', type, vmid }: Parts): HostGuest {
  const guest = host.guest(Number(vmid))
  if (guest !== undefined && guest.node === node && guest.type === type) return guest
  const folder = type === 'qemu' ? 'qemu-server' : 'lxc'
  throw new Refusal(500, `Configuration file 'nodes/${node}/${folder}/${vmid}.conf' does not exist`)
}
