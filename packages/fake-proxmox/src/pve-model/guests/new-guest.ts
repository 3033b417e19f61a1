import type { PveType } from '../host.ts'
import type { Model } from '../model.ts'
import { Refusal } from '../refusal.ts'
import { type Config, nameKey, newFile } from './files.ts'
import { uuidOf } from './usual-config.ts'
import { bytesOf, disksIn } from './volumes.ts'

/** A guest that is being created. Its vmid is already taken. */
export type NewGuest = { vmid: number; type: PveType; node: string; config: Config; pool: string | undefined }

/** @throws Refusal if the vmid is taken. @param doing `create`, `restore`, `clone` */
export function mustBeFreeId({ host }: Model, { vmid, type }: Pick<NewGuest, 'vmid' | 'type'>, doing: string) {
  const taken = host.guest(vmid)
  if (taken === undefined) return
  const word = type === 'qemu' ? 'VM' : 'CT'
  if (doing === 'clone') throw new Refusal(500, `unable to create ${word} ${vmid}: config file already exists`)
  const other = taken.type === 'qemu' ? 'VM' : 'CT'
  throw new Refusal(500, `unable to ${doing} ${word} ${vmid} - ${other} ${vmid} already exists on node '${taken.node}'`)
}

/** Takes the vmid. Until `completeGuest` the guest is locked, and its file contains only the lock. */
export function claimGuest({ host, files }: Model, { vmid, type, node }: NewGuest, lock = 'create') {
  files.set(vmid, newFile({ config: {} }))
  host.addGuest({
    vmid,
    type,
    node,
    lock,
    name: `${type === 'qemu' ? 'VM' : 'CT'} ${vmid}`,
    status: 'stopped',
    tags: [],
    isTemplate: false,
    isHeld: false,
    isHa: false,
    startedAt: host.now(),
    cpuCount: 1,
    ramBytes: 512 * 1024 ** 2,
    diskBytes: 0,
  })
}

/** Writes the guest's file and adds the guest to its pool. */
export function completeGuest(model: Model, { vmid, type, config, pool }: NewGuest) {
  const { host, files } = model
  const { [nameKey(type)]: name, tags = '', template, lock: _, ...rest } = config
  files.set(vmid, newFile({ config: rest }))
  const memory = Number(rest.memory ?? 512) * 1024 ** 2
  host.changeGuest(vmid, {
    lock: undefined,
    tags: tags.split(/[;, ]+/).filter((tag) => tag !== ''),
    isTemplate: template === '1',
    cpuCount: Number(rest.cores ?? 1) * Number(rest.sockets ?? 1),
    ramBytes: memory,
    ...(name !== undefined && { name }),
    diskBytes: disksIn(type, rest).reduce((sum, { bytes }) => sum + bytes, 0),
  })
  if (pool !== undefined) model.pools.get(pool)?.vmids.add(vmid)
}

/** Keys that Proxmox writes into a new VM's file. No other VM has the same values. */
export const marksOfNew = ({ host }: Model, vmid: number): Config => ({
  meta: `creation-qemu=9.2.0,ctime=${Math.floor(host.now() / 1000)}`,
  smbios1: `uuid=${newUuid({ host }, vmid)}`,
})

/** Returns a UUID that differs each time. */
export const newUuid = ({ host }: Pick<Model, 'host'>, vmid: number): string =>
  uuidOf(`${vmid} ${host.now()} ${host.tasks().length}`)

/** Total size of all disks, GiB. The duration of a task depends on it. */
export const gibsIn = (type: PveType, config: Config) =>
  disksIn(type, config).reduce((sum, { bytes }) => sum + bytes, 0) / (bytesOf('1G') ?? 1)
