import type { HostGuest, PveType } from '../host.ts'
import type { Model } from '../model.ts'
import { forbidden, misfit, Refusal } from '../refusal.ts'
import { type Need, need, type Values } from '../route.ts'
import { type Config, nameKey } from './files.ts'
import { isDiskKey, isKey, isTakenAtOnce, rightOf, rootOnly } from './keys.ts'
import { macOf } from './usual-config.ts'
import { bindMountsIn, bytesOf, disksIn, freeVolumes, makeVolume, sizeOf } from './volumes.ts'

const gib = 1024 ** 3

/** The rights needed to set or delete these keys. @throws Refusal for a key that only root may change */
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
    if (/^net\d+$/.test(key)) return [own, ...bridgeNeeds({ [key]: value })]
    return key === 'startup' ? [own, need('/', 'Sys.Modify')] : [own]
  })
}

/** Returns the rights needed to use the bridges of a configuration's network cards. */
export const bridgeNeeds = (config: Config): Need[] =>
  Object.entries(config).flatMap(([key, value]) => {
    const bridge = /^net\d+$/.test(key) ? /(?:^|,)bridge=([^,]+)/.exec(value)?.[1] : undefined
    return bridge === undefined ? [] : [need(`/sdn/zones/localnetwork/${bridge}`, 'SDN.Use')]
  })

/** Returns those parameters of a request that are configuration keys. */
export const keysIn = (type: PveType, values: Values): Config =>
  Object.fromEntries(Object.entries(values).filter(([key]) => isKey(type, key)))

/** Returns the keys that a request deletes. @throws Refusal for a key that does not exist, or that the request also sets */
export function deletedIn(type: PveType, values: Values): string[] {
  const keys = (values.delete ?? '').split(/[,; ]+/).filter((key) => key !== '')
  for (const key of keys) {
    if (!isKey(type, key)) throw misfit({ delete: `unknown option '${key}'` })
    if (values[key] !== undefined) throw misfit({ delete: `can't use '-${key}' and -delete ${key} at the same time` })
  }
  return keys
}

/** Writes the set and deleted keys into the guest's file. Keys that a running guest cannot take over become pending. */
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
  // A detached disk keeps its volume under an `unusedN` key until that key is deleted.
  let n = 0
  while (config[`unused${n}`] !== undefined) n += 1
  config[`unused${n}`] = `${disk.volid},size=${sizeOf(disk.bytes)}`
}

/** Creates a new disk for a value such as `local-zfs:8` (8 GiB). Any other value is used unchanged. */
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
    format,
    taken,
  })
  taken?.add(made)
  const kept = rest.filter((part) => !part.startsWith('format='))
  return [made, ...kept, `size=${sizeOf(bytes)}`].join(',')
}

/** Adds a MAC address to a network card that has none. */
export function completed({ type, vmid }: Pick<HostGuest, 'type' | 'vmid'>, key: string, value: string): string {
  if (!/^net\d+$/.test(key)) return value
  const mac = macOf(vmid * 8 + Number(key.slice(3)))
  if (type === 'lxc') {
    return value.includes('hwaddr=') ? value : `${value},hwaddr=${mac}${value.includes('type=') ? '' : ',type=veth'}`
  }
  return value.replace(/^(virtio|e1000|e1000e|rtl8139|vmxnet3)(?=,|$)/, `$1=${mac}`)
}

/** @throws Refusal if the storage does not have the file */
export function mustExist(model: Model, node: string, volid: string) {
  const [storage = ''] = volid.split(':')
  if (model.media.some((one) => one.volid === volid) && model.host.isActive(storage, node)) return
  throw new Refusal(500, `volume '${volid}' does not exist`)
}
