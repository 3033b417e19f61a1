import type { HostGuest, PveType } from '../host.ts'
import type { Model } from '../model.ts'
import { forbidden, misfit, Refusal } from '../refusal.ts'
import { type Need, need, type Values } from '../route.ts'
import { type Config, nameKey } from './files.ts'
import { isDiskKey, isKey, isTakenAtOnce, rightOf, rootOnly } from './keys.ts'
import { macOf } from './usual-config.ts'
import { bindMountsIn, disksIn, freeVolumes, GuestVolumes, sizeOf } from './volumes.ts'

/** The keys of a configuration that a request sets and deletes. */
export type ConfigChange = { keys: Config; deleted: readonly string[] }

/** The rights needed for a change of a guest's configuration. @throws Refusal for a key that only root may change */
export function needsOf(type: PveType, vmid: string, { keys, deleted }: ConfigChange): Need[] {
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
export function changeConfig(model: Model, vmid: number, { keys, deleted }: ConfigChange) {
  const guest = model.host.guest(vmid)
  if (guest === undefined) throw new Refusal(500, `Configuration file for ${vmid} does not exist`)
  const file = model.files.of(guest)
  const writer = new ConfigWriter(model, guest, file.config)
  const isUp = guest.status !== 'stopped'
  for (const key of deleted) {
    if (isUp && !isTakenAtOnce(guest.type, key)) {
      if (file.config[key] === undefined) file.pending.delete(key)
      else file.pending.set(key, undefined)
    } else writer.remove(key)
  }
  // A volume that was just removed leaves its name to a new one.
  const volumes = new GuestVolumes(model, guest)
  for (const [key, given] of Object.entries(keys)) {
    const value = isDiskKey(guest.type, key) ? volumes.disk(given) : completed(guest, key, given)
    if (isUp && !isTakenAtOnce(guest.type, key)) {
      if (file.config[key] === value) file.pending.delete(key)
      else file.pending.set(key, value)
    } else writer.set(key, value)
  }
  if (file.pending.size > 0) file.pendingSince = guest.startedAt
}

/** Writes keys of a guest's configuration, and the values that the host keeps itself. */
class ConfigWriter {
  readonly #model: Model
  readonly #guest: HostGuest
  readonly #config: Config

  constructor(model: Model, guest: HostGuest, config: Config) {
    this.#model = model
    this.#guest = guest
    this.#config = config
  }

  set(key: string, value: string) {
    const { host } = this.#model
    const { vmid, type } = this.#guest
    if (key === nameKey(type)) return host.changeGuest(vmid, { name: value })
    if (key === 'tags') return host.changeGuest(vmid, { tags: value.split(/[;, ]+/).filter((tag) => tag !== '') })
    this.#config[key] = value
    if (key === 'memory') host.changeGuest(vmid, { ramBytes: Number(value) * 1024 ** 2 })
    if (key === 'cores') host.changeGuest(vmid, { cpuCount: Number(value) })
  }

  remove(key: string) {
    const { host } = this.#model
    const { vmid, type, node } = this.#guest
    if (key === nameKey(type)) return host.changeGuest(vmid, { name: `${type === 'qemu' ? 'VM' : 'CT'}${vmid}` })
    if (key === 'tags') return host.changeGuest(vmid, { tags: [] })
    const [disk] = disksIn(type, { [key]: this.#config[key] ?? '' }, true)
    delete this.#config[key]
    if (disk === undefined) return
    if (key.startsWith('unused')) return freeVolumes(this.#model, node, [disk])
    // A detached disk keeps its volume under an `unusedN` key until that key is deleted.
    let n = 0
    while (this.#config[`unused${n}`] !== undefined) n += 1
    this.#config[`unused${n}`] = `${disk.volid},size=${sizeOf(disk.bytes)}`
  }
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
