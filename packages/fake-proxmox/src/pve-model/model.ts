import { type Archive, firstArchives } from './archives.ts'
import { createGuestFiles, type GuestFiles, type Seed } from './guests/files.ts'
import type { HostGuest, PveHost } from './host.ts'
import { Refusal } from './refusal.ts'
import type { Parts } from './route.ts'

/** The part of a cluster's state that its host does not store. */
export type Model = {
  host: PveHost
  files: GuestFiles
  /** The log lines of each task, by UPID. */
  logs: Map<string, string[]>
  /** The backups, by volume id. */
  archives: Map<string, Archive>
  /** Installation images and container templates. */
  media: readonly Medium[]
  pools: Map<string, Pool>
  /** The commands that guest agents ran, by `vmid/pid`. */
  runs: Map<string, { code: number; out: string; err: string }>
  /** Sizes of volumes that differ from the configuration, bytes, by volume id; null: the volume does not exist. */
  sizes: Map<string, number | null>
  /** Faults that tests set. */
  faults: Faults
}

export type Medium = { volid: string; kind: 'iso' | 'vztmpl'; bytes: number }
export type Pool = { comment: string; vmids: Set<number> }

/** The cluster's content at the start. */
export type Seeds = { guests: ReadonlyMap<number, Seed>; media: readonly Medium[]; pools: readonly string[] }

export type Faults = {
  /** By vmid: the error with which the next task about the guest ends. That task changes nothing. */
  failNext: Map<number, string>
  /** Guests whose next restore fails after it has created the volumes. */
  breakRestore: Set<number>
  /** Additional duration of each task, ms of the cluster's time. */
  lateMs: number
  /** Exit status of the next `srvreload networking` task. The new file still takes effect. Undefined: `OK`. */
  failReload?: string
  /** Running guests whose agent does not answer. */
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
    sizes: new Map(),
    media,
    pools: new Map(pools.map((name) => [name, { comment: '', vmids: new Set() }])),
    faults: { failNext: new Map(), breakRestore: new Set(), lateMs: 0, silentAgents: new Set() },
  }
}

/** Returns the guest that a path names. @throws Refusal if there is no such guest, or it has another type */
export function guestIn({ host }: Model, { node = '', type, vmid }: Parts): HostGuest {
  const guest = host.guest(Number(vmid))
  if (guest !== undefined && guest.node === node && guest.type === type) return guest
  const folder = type === 'qemu' ? 'qemu-server' : 'lxc'
  throw new Refusal(500, `Configuration file 'nodes/${node}/${folder}/${vmid}.conf' does not exist`)
}
