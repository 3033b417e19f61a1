import type { HostGuest, PveType } from '../host.ts'
import type { Model } from '../model.ts'
import { forbidden, misfit, Refusal } from '../refusal.ts'
import { type Need, need, type Values } from '../route.ts'
import { type Config, nameKey } from './files.ts'
import { isDiskKey, isKey, isTakenAtOnce, rightOf, rootOnly } from './keys.ts'
import { macOf } from './usual-config.ts'
import { bindMountsIn, bytesOf, disksIn, freeVolumes, makeVolume, sizeOf } from './volumes.ts'

const gib = 1024 ** 3

/** The rights that setting or deleting these keys takes. @throws Refusal for what only root may change */
export function needsOf(type: PveType, vmid: string, keys: Config, deleted: readonly string[] = []): Need[] {
  const wanted = [...Object.entries(keys), ...deleted.map((key) => [key, ''] as const)]
  return wanted.flatMap(([key, value]) => {
    const right = rightOf(type, key, value)
    if (right === rootOnly) {
      if (type === 'qemu') throw new Refusal(500, `only root can set '${key}' config`)
      throw forbidden(`changing the ${key} is only allowed for root@pam`)
    }
    if (type === 'lxc' && key === 'features' && value !== 'nesting=1') {
      throw forbidden('changing feature flags (except nesting) is only allowed for root@pam')
    }
    if (type === 'lxc' && bindMountsIn({ [key]: value }).length > 0) {
      throw forbidden('mount point type bind is only allowed for root@pam')
    }
    const own = need(`/vms/${vmid}`, right)
    return key === 'startup' ? [own, need('/', 'Sys.Modify')] : [own]
  })
}

/** The keys of a configuration among a request's parameters. */
export const keysIn = (type: PveType, values: Values): Config =>
  Object.fromEntries(Object.entries(values).filter(([key]) => isKey(type, key)))

/** @throws Refusal for keys that there are not, or that are set too */
export function deletedIn(type: PveType, values: Values): string[] {
  const keys = (values.delete ?? '').split(/[,; ]+/).filter((key) => key !== '')
  for (const key of keys) {
    if (!isKey(type, key)) throw misfit({ delete: `unknown option '${key}'` })
    if (values[key] !== undefined) throw misfit({ delete: `can't use '-${key}' and -delete ${key} at the same time` })
  }
  return keys
}

/** Writes what a request sets and deletes into the guest's file; what a running guest does not take over is left pending. */
export function changeConfig(model: Model, vmid: number, keys: Config, deleted: readonly string[]) {
  const guest = model.host.guest(vmid)
  if (guest === undefined) throw new Refusal(500, `Configuration file for ${vmid} does not exist`)
  const file = model.files.of(guest)
  const isUp = guest.status !== 'stopped'
  for (const key of deleted) {
    if (isUp && !isTakenAtOnce(guest.type, key)) {
      if (file.config[key] === undefined) file.pending.delete(key)
      else file.pending.set(key, undefined)
    } else removeKey(model, guest, file.config, key)
  }
  for (const [key, given] of Object.entries(keys)) {
    const value = isDiskKey(guest.type, key) ? diskValue(model, guest, given) : completed(guest, key, given)
    if (isUp && !isTakenAtOnce(guest.type, key)) {
      if (file.config[key] === value) file.pending.delete(key)
      else file.pending.set(key, value)
    } else setKey(model, guest, file.config, key, value)
  }
  if (file.pending.size > 0) file.pendingSince = guest.startedAt
}

function setKey({ host }: Model, { vmid, type }: HostGuest, config: Config, key: string, value: string) {
  if (key === nameKey(type)) return host.changeGuest(vmid, { name: value })
  if (key === 'tags') return host.changeGuest(vmid, { tags: value.split(/[;, ]+/).filter((tag) => tag !== '') })
  config[key] = value
  if (key === 'memory') host.changeGuest(vmid, { ramBytes: Number(value) * 1024 ** 2 })
  if (key === 'cores') host.changeGuest(vmid, { cpuCount: Number(value) })
}

function removeKey(model: Model, guest: HostGuest, config: Config, key: string) {
  if (key === nameKey(guest.type))
    return model.host.changeGuest(guest.vmid, { name: `${guest.type === 'qemu' ? 'VM' : 'CT'}${guest.vmid}` })
  if (key === 'tags') return model.host.changeGuest(guest.vmid, { tags: [] })
  const [disk] = disksIn(guest.type, { [key]: config[key] ?? '' }, true)
  delete config[key]
  if (disk === undefined) return
  if (key.startsWith('unused')) return freeVolumes(model, guest.node, [disk])
  // What is taken off stays where it is, until it is deleted by that name.
  let n = 0
  while (config[`unused${n}`] !== undefined) n += 1
  config[`unused${n}`] = `${disk.volid},size=${sizeOf(disk.bytes)}`
}

/** `local-zfs:8` is a new disk of 8 GiB; anything else is taken as it is. */
export function diskValue(
  model: Model,
  guest: Pick<HostGuest, 'type' | 'vmid' | 'node'>,
  value: string,
  taken?: Set<string>,
): string {
  const [volid = '', ...rest] = value.split(',')
  const [, storage, size] = /^([^:/]+):(\d+(?:\.\d+)?)$/.exec(volid) ?? []
  if (storage === undefined) {
    if (value.includes('media=cdrom') && volid !== 'none' && volid !== 'cdrom') mustExist(model, guest.node, volid)
    return value
  }
  const bytes = (bytesOf(size) ?? 1) * gib
  const format = rest.find((part) => part.startsWith('format='))?.slice(7)
  const made = makeVolume(model, guest, {
    storage,
    bytes,
    ...(format !== undefined && { format }),
    ...(taken && { taken }),
  })
  taken?.add(made)
  const kept = rest.filter((part) => !part.startsWith('format='))
  return [made, ...kept, `size=${sizeOf(bytes)}`].join(',')
}

/** A card without an address is given one. */
export function completed({ type, vmid }: Pick<HostGuest, 'type' | 'vmid'>, key: string, value: string): string {
  if (!/^net\d+$/.test(key)) return value
  const mac = macOf(vmid * 8 + Number(key.slice(3)))
  if (type === 'lxc') {
    return value.includes('hwaddr=') ? value : `${value},hwaddr=${mac}${value.includes('type=') ? '' : ',type=veth'}`
  }
  return value.replace(/^(virtio|e1000|e1000e|rtl8139|vmxnet3)(?=,|$)/, `$1=${mac}`)
}

/** @throws Refusal where a storage has no such file */
export function mustExist(model: Model, node: string, volid: string) {
  const [storage = ''] = volid.split(':')
  if (model.media.some((one) => one.volid === volid) && model.host.isActive(storage, node)) return
  throw new Refusal(500, `volume '${volid}' does not exist`)
}
