import type { PveType } from '../host.ts'
import { anything, flag, whole } from '../route.ts'

const text = anything
const line = /^[^\n\0]*$/u
const hostname = /^[A-Za-z0-9]([A-Za-z0-9.-]{0,62}[A-Za-z0-9])?$/
const tags = /^[A-Za-z0-9_][A-Za-z0-9_+.:-]*([;, ][A-Za-z0-9_][A-Za-z0-9_+.:-]*)*$|^$/
const cores = /^[1-9]\d{0,3}$/
const cpuLimit = /^\d{1,4}(\.\d+)?$/

/** A configuration key: the pattern of its value, and the right needed to change it. */
type Key = readonly [shape: RegExp, right: string]
const options = 'VM.Config.Options'
const hardware = 'VM.Config.HWType'
const cpu = 'VM.Config.CPU'
const memory = 'VM.Config.Memory'
const network = 'VM.Config.Network'
const disk = 'VM.Config.Disk'
const cloudInit = 'VM.Config.Cloudinit'
/** The right for options that only root may set. No token has it, not even a token of root. */
export const rootOnly = 'root'

const both: Record<string, Key> = {
  description: [text, options],
  onboot: [flag, options],
  protection: [flag, options],
  startup: [line, options],
  tags: [tags, options],
  cores: [cores, cpu],
  cpulimit: [cpuLimit, cpu],
  cpuunits: [whole, cpu],
  memory: [/^(current=)?[1-9]\d{1,8}$/, memory],
  'net[n]': [line, network],
  nameserver: [line, network],
  searchdomain: [line, network],
  'unused[n]': [line, disk],
  hookscript: [line, rootOnly],
  lock: [/^[a-z-]+$/, rootOnly],
  arch: [/^[a-z0-9_]+$/, options],
  ostype: [/^[a-z0-9]+$/, options],
}
const vm: Record<string, Key> = {
  name: [hostname, options],
  agent: [line, options],
  bios: [/^(seabios|ovmf)$/, options],
  boot: [line, options],
  localtime: [flag, options],
  reboot: [flag, options],
  acpi: [flag, hardware],
  hotplug: [/^[a-z,]*$|^[01]$/, hardware],
  kvm: [flag, hardware],
  machine: [line, hardware],
  scsihw: [/^[a-z0-9-]+$/, hardware],
  smbios1: [line, hardware],
  tablet: [flag, hardware],
  vga: [line, hardware],
  vmgenid: [line, hardware],
  cpu: [line, cpu],
  numa: [flag, cpu],
  sockets: [cores, cpu],
  vcpus: [cores, cpu],
  affinity: [line, rootOnly],
  balloon: [whole, memory],
  shares: [whole, memory],
  ciuser: [line, cloudInit],
  cipassword: [line, cloudInit],
  sshkeys: [text, cloudInit],
  'ipconfig[n]': [line, network],
  'scsi[n]': [line, disk],
  'virtio[n]': [line, disk],
  'sata[n]': [line, disk],
  'ide[n]': [line, disk],
  efidisk0: [line, disk],
  tpmstate0: [line, disk],
  args: [text, rootOnly],
  'hostpci[n]': [line, rootOnly],
  'usb[n]': [line, rootOnly],
  'serial[n]': [line, rootOnly],
  'virtiofs[n]': [line, rootOnly],
}
const ct: Record<string, Key> = {
  hostname: [hostname, network],
  swap: [whole, memory],
  rootfs: [line, disk],
  'mp[n]': [line, disk],
  'dev[n]': [line, rootOnly],
  features: [line, options],
  unprivileged: [flag, options],
  tty: [whole, options],
  console: [flag, options],
  cmode: [/^(tty|console|shell)$/, options],
  timezone: [line, options],
}

const keys: Record<PveType, Record<string, Key>> = { qemu: { ...both, ...vm }, lxc: { ...both, ...ct } }
const keyOf = (type: PveType, name: string) => keys[type][name] ?? keys[type][name.replace(/(?<!\d)\d+$/, '[n]')]

export const isKey = (type: PveType, name: string): boolean => keyOf(type, name) !== undefined

/** The right needed to change a key. A CD drive needs another right than a disk. */
export const rightOf = (type: PveType, name: string, value = ''): string =>
  value.includes('media=cdrom') ? 'VM.Config.CDROM' : (keyOf(type, name)?.[1] ?? rootOnly)

/** Returns a configuration's keys as parameters of a route. */
export const shapesOf = (type: PveType): Record<string, RegExp> =>
  Object.fromEntries(Object.entries(keys[type]).map(([name, [shape]]) => [name, shape]))
const atOnce = {
  qemu: /^(name|onboot|shares|startup|description|protection|tags|balloon|cpuunits|cpulimit|(net|scsi|virtio|sata|ide|unused|ipconfig)\d+|ciuser|cipassword|sshkeys|nameserver|searchdomain)$/,
  lxc: /^(?!(features|unprivileged|arch|ostype|tty|console|cmode|rootfs)$)/,
}
/** True if a running guest applies a change of the key at once. Other changes wait until the guest stops. */
export const isTakenAtOnce = (type: PveType, name: string): boolean => atOnce[type].test(name)

const disks = { qemu: /^(scsi|virtio|sata|ide)\d+$|^(efidisk0|tpmstate0)$/, lxc: /^(rootfs|mp\d+)$/ }
export const isDiskKey = (type: PveType, name: string): boolean => disks[type].test(name)
