import { backupNamed } from '../archives.ts'
import type { PveType } from '../host.ts'
import type { Model } from '../model.ts'
import { poolNamed } from '../pools.ts'
import { mustBeQuorate } from '../quorum.ts'
import { forbidden, misfit, Refusal } from '../refusal.ts'
import type { Values } from '../route.ts'
import { completed, keysIn } from './change.ts'
import { destroy } from './destroy.ts'
import type { Config } from './files.ts'
import { claimGuest, completeGuest, gibsIn, mustBeFreeId, type NewGuest, newUuid } from './new-guest.ts'
import { macOf } from './usual-config.ts'
import { bindMountsIn, disksIn, GuestVolumes, storageForDisks } from './volumes.ts'
import { mustBeFree, work } from './work.ts'

/** Duration of a restore, ms for each GiB of disks. */
const tookMsPerGib = 400

/** Restores a backup to an id. @returns the UPID @throws Refusal before a task begins */
export function restore(model: Model, at: Pick<NewGuest, 'node' | 'type'>, values: Values): string {
  const { host, faults } = model
  const { node, type } = at
  const { storage, pool, force } = values
  const vmid = Number(values.vmid)
  const volid = (type === 'qemu' ? values.archive : values.ostemplate) ?? ''
  mustBeQuorate(model)
  const backup = backupNamed(model, node, volid)
  if (backup.type !== type) {
    throw misfit({
      [type === 'qemu' ? 'archive' : 'ostemplate']:
        `'${volid}' is no backup of a ${type === 'qemu' ? 'VM' : 'container'}`,
    })
  }
  if (pool !== undefined) poolNamed(model, pool)
  const over = host.guest(vmid)
  if (over === undefined || force !== '1') mustBeFreeId(model, { vmid, type }, 'restore')
  if (over !== undefined) {
    mustBeFree(over)
    if (over.type !== type || over.node !== node) mustBeFreeId(model, { vmid, type }, 'restore')
    if (over.status !== 'stopped')
      throw new Refusal(500, `unable to restore ${type === 'qemu' ? 'VM' : 'CT'} ${vmid} - it is running`)
    if (model.files.of(over).config.protection === '1')
      throw new Refusal(500, `unable to restore VM ${vmid} - protection mode enabled`)
  }
  if (type === 'lxc' && bindMountsIn(backup.config).length > 0)
    throw forbidden('mount point type bind is only allowed for root@pam')
  for (const disk of disksIn(type, backup.config)) storageForDisks(model, at, storage ?? disk.storage)
  const merging = { vmid, archived: backup.config, values }
  const config = type === 'qemu' ? mergedVm(model, merging) : mergedCt(merging)

  const guest: NewGuest = { vmid, type, node, config, pool }
  const word = type === 'qemu' ? 'qmrestore' : 'vzrestore'
  const upid = work(model, {
    node,
    type: word,
    vmid,
    ms: 2_000 + gibsIn(type, config) * tookMsPerGib,
    finish() {
      if (over !== undefined) {
        destroy(model, over)
        claimGuest(model, guest)
      }
      const volumes = new GuestVolumes(model, guest)
      const made = Object.fromEntries(
        disksIn(type, config).map((disk) => {
          const volume = volumes.make({ storage: storage ?? disk.storage, bytes: disk.bytes })
          return [disk.key, disk.value.replace(disk.volid, volume)]
        }),
      )
      if (faults.breakRestore.delete(vmid)) {
        // The broken restore leaves a guest with volumes, but without the pool and description that name its owner.
        completeGuest(model, { ...guest, config: unusedOf(made), pool: undefined })
        throw new Refusal(500, `command 'vma extract' failed: got signal 9`)
      }
      completeGuest(model, { ...guest, config: { ...config, ...made } })
      if (values.start === '1') host.bootGuest(vmid)
    },
    failed() {
      // Proxmox removes a container whose restore failed. Of a VM it leaves the file, without the lock.
      const left = host.guest(vmid)
      if (left === undefined) return
      if (type === 'lxc') destroy(model, left)
      else host.changeGuest(vmid, { lock: undefined })
    },
  })
  if (host.guest(vmid) === undefined) claimGuest(model, guest)
  // Proxmox puts a container into its pool at the start of a restore, a VM at the end.
  if (type === 'lxc' && pool !== undefined) model.pools.get(pool)?.vmids.add(vmid)
  return upid
}

const unusedOf = (disks: Config): Config =>
  Object.fromEntries(Object.values(disks).map((value, n) => [`unused${n}`, value]))

/** A restore to an id: the configuration in the archive, and the values of the request. */
type Merging = { vmid: number; archived: Config; values: Values }

/** Returns the configuration of a restored VM. Values of the request override those of the archive. */
function mergedVm(model: Model, { vmid, archived, values }: Merging): Config {
  const { template: _, ...config } = archived
  const own = completedKeys('qemu', vmid, values)
  const cards = values.unique === '1' ? withNewMacs(vmid, config, /^([a-z0-9]+)=[0-9A-F:]{17}/i) : {}
  const uuid: Config =
    values.unique === '1' && config.smbios1 !== undefined ? { smbios1: `uuid=${newUuid(model, vmid)}` } : {}
  return { ...config, ...cards, ...uuid, ...own }
}

/** Returns the configuration of a restored container. With `unique`, the archive's network cards override those of the request. */
function mergedCt({ vmid, archived, values }: Merging): Config {
  const own = completedKeys('lxc', vmid, values)
  const cards = values.unique === '1' ? withNewMacs(vmid, archived, /(hwaddr)=[0-9A-F:]{17}/i) : {}
  return { ...archived, ...own, ...cards }
}

function withNewMacs(vmid: number, config: Config, mac: RegExp): Config {
  return Object.fromEntries(
    Object.entries(config).flatMap(([key, value]) =>
      /^net\d+$/.test(key) ? [[key, value.replace(mac, `$1=${macOf(vmid * 8 + Number(key.slice(3)))}`)]] : [],
    ),
  )
}

/** Returns the configuration keys of a request, in the form in which the file stores them. */
export function completedKeys(type: PveType, vmid: number, values: Values): Config {
  const keys = Object.entries(keysIn(type, values)).filter(([key]) => key !== 'lock')
  return Object.fromEntries(keys.map(([key, value]) => [key, completed({ type, vmid }, key, value)]))
}

/** Makes the disks of a request, such as `local-zfs:8`. @throws Refusal */
export function madeDisks(model: Model, guest: NewGuest): Config {
  const volumes = new GuestVolumes(model, guest)
  return Object.fromEntries(
    Object.entries(guest.config).map(([key, value]) => [
      key,
      /^[^:/,]+:\d/.test(value) && disksIn(guest.type, { [key]: value }).length > 0 ? volumes.disk(value) : value,
    ]),
  )
}
