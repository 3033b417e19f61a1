import type { Guest } from '../../protocol/index.ts'
import { kernel, pveVersion } from './facts.ts'
import type { Program } from './shell.ts'
import { short, table } from './shell-text.ts'
import { isActive } from './snapshot.ts'
import type { SimGuest, SimNode, World } from './world.ts'

type Host = { world: World; node: SimNode }

const mib = (bytes: number) => String(Math.round(bytes / 1024 ** 2))
const percent = (part: number, whole: number) => `${Math.round((part / whole) * 100)}%`

/** `qm` and `pct`: the guests of this node. */
const guestProgram =
  (type: Guest['type']): Program =>
  ([verb, id], { world, node }) => {
    const program = type === 'vm' ? 'qm' : 'pct'
    const here = [...world.guests.values()].filter((guest) => guest.type === type && guest.node === node.name)
    if (verb === 'list') return type === 'vm' ? vmList(here) : containerList(here)
    const guest = here.find(({ vmid }) => String(vmid) === id)
    if (verb === 'status' && guest !== undefined) return `status: ${guest.status}\n`
    if (verb === 'config' && guest !== undefined) {
      const nameKey = type === 'vm' ? 'name' : 'hostname'
      const lock = guest.lock === undefined ? '' : `lock: ${guest.lock}\n`
      return `cores: ${guest.cpuCount}\n${lock}memory: ${mib(guest.ramTotalBytes)}\n${nameKey}: ${guest.name}\nonboot: ${guest.startsOnBoot ? 1 : 0}\ntags: ${guest.tags.join(';')}\n`
    }
    if (verb === 'status' || verb === 'config') {
      const file = `nodes/${node.name}/${type === 'vm' ? 'qemu-server' : 'lxc'}/${id}.conf`
      return { stderr: `Configuration file '${file}' does not exist\n`, exitCode: 2 }
    }
    return { stderr: `ERROR: unknown command '${program} ${verb ?? ''}'\n`, exitCode: 255 }
  }

function vmList(guests: readonly SimGuest[]): string {
  const rows = guests.map((guest) => [
    String(guest.vmid),
    guest.name,
    guest.status,
    mib(guest.ramTotalBytes),
    (guest.diskTotalBytes / 1024 ** 3).toFixed(2),
    guest.status === 'running' ? String(2000 + guest.vmid) : '0',
  ])
  return table([['VMID', 'NAME', 'STATUS', 'MEM(MB)', 'BOOTDISK(GB)', 'PID'], ...rows], [0, 3, 4, 5])
}

const containerList = (guests: readonly SimGuest[]) =>
  table([
    ['VMID', 'Status', 'Lock', 'Name'],
    ...guests.map((guest) => [String(guest.vmid), guest.status, guest.lock ?? '', guest.name]),
  ])

/** The storages that this node can use. */
const storagesOf = ({ world, node }: Host) =>
  world.storages.filter((storage) => storage.node === undefined || storage.node === node.name)

const pvesm: Program = ([verb], host) => {
  if (verb !== 'status') return { stderr: `ERROR: unknown command 'pvesm ${verb ?? ''}'\n`, exitCode: 255 }
  const kib = (bytes: number) => String(Math.round(bytes / 1024))
  const rows = storagesOf(host).map((storage) => {
    const { name, type, totalBytes, usedBytes } = storage
    if (!isActive(host.world, storage)) return [name, type, 'inactive', '0', '0', '0', '0.00%']
    const used = `${((usedBytes / totalBytes) * 100).toFixed(2)}%`
    return [name, type, 'active', kib(totalBytes), kib(usedBytes), kib(totalBytes - usedBytes), used]
  })
  return table([['Name', 'Type', 'Status', 'Total', 'Used', 'Available', '%'], ...rows], [3, 4, 5, 6])
}

const zpool: Program = ([verb, ...args], host) => {
  const pools = storagesOf(host).filter(({ type }) => type === 'zfspool')
  if (pools.length === 0) return 'no pools available\n'
  if (verb === 'scrub') {
    const unknown = args.find((arg) => !arg.startsWith('-') && !pools.some(({ name }) => name === arg))
    return unknown === undefined ? '' : { stderr: `cannot open '${unknown}': no such pool\n`, exitCode: 1 }
  }
  if (verb === 'list') {
    const rows = pools.map(({ name, totalBytes, usedBytes }) => [
      name,
      short(totalBytes),
      short(usedBytes),
      short(totalBytes - usedBytes),
      percent(usedBytes, totalBytes),
      'ONLINE',
    ])
    return table([['NAME', 'SIZE', 'ALLOC', 'FREE', 'CAP', 'HEALTH'], ...rows], [1, 2, 3, 4])
  }
  return pools
    .map(
      ({ name }) => `  pool: ${name}\n state: ONLINE\nconfig:\n\n\t${name}\tONLINE\n\nerrors: No known data errors\n`,
    )
    .join('\n')
}

const df: Program = (args, host) => {
  const { node } = host
  const size = args.some((arg) => arg === '-h' || arg === '-H')
    ? (bytes: number) => short(bytes)
    : (bytes: number) => String(Math.round(bytes / 1024))
  const row = (source: string, total: number, used: number, mount: string) => [
    source,
    size(total),
    size(used),
    size(total - used),
    percent(used, total),
    mount,
  ]
  const mounted = storagesOf(host).filter(({ type }) => type !== 'pbs')
  return table(
    [
      ['Filesystem', 'Size', 'Used', 'Avail', 'Use%', 'Mounted on'],
      row('/dev/mapper/pve-root', node.rootTotalBytes, node.rootBytes, '/'),
      ...mounted.map(({ name, type, totalBytes, usedBytes }) =>
        type === 'nfs'
          ? row(`10.0.4.23:/mnt/tank/${name}`, totalBytes, usedBytes, `/mnt/pve/${name}`)
          : row(name, totalBytes, usedBytes, `/${name}`),
      ),
    ],
    [1, 2, 3, 4],
  )
}

const lsblk: Program = (_args, host) => {
  const disks = storagesOf(host).filter(({ type }) => type === 'zfspool')
  return table([
    ['NAME', 'SIZE', 'TYPE', 'MOUNTPOINTS'],
    ['sda', short(host.node.rootTotalBytes * 1.1), 'disk', ''],
    ['└─pve-root', short(host.node.rootTotalBytes), 'lvm', '/'],
    ...disks.map(({ totalBytes }, index) => [`nvme${index}n1`, short(totalBytes), 'disk', '']),
  ])
}

export const proxmoxCommands: Record<string, Program> = {
  qm: guestProgram('vm'),
  pct: guestProgram('ct'),
  pvesm,
  zpool,
  df,
  lsblk,
  pveversion: () => `${pveVersion} (running kernel: ${kernel})\n`,
}
