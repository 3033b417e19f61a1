import type { Guest } from 'protocol'
import { gpu, hotGuest, oldSnapshot } from './demo-lab.ts'
import { kernel, pveVersion } from './facts.ts'
import type { GuestFileOf, Program } from './shell.ts'
import { dateLine, lines, readOptions, short, table } from './shell-text.ts'
import { isActive } from './snapshot.ts'
import type { SimGuest, SimNode, World } from './world.ts'

type Host = { world: World; node: SimNode; guestFile: GuestFileOf }

const mib = (bytes: number) => String(Math.round(bytes / 1024 ** 2))
const percent = (part: number, whole: number) => `${Math.round((part / whole) * 100)}%`

/** Makes `qm` or `pct`, for guests of this node. */
const guestProgram =
  (type: Guest['type']): Program =>
  ([verb, id], { world, node, guestFile }) => {
    const program = type === 'vm' ? 'qm' : 'pct'
    const here = [...world.guests.values()].filter((guest) => guest.type === type && guest.node === node.name)
    if (verb === 'list') return type === 'vm' ? vmList(here) : containerList(here)
    const guest = here.find(({ vmid }) => String(vmid) === id)
    if (verb === 'status' && guest !== undefined) return `status: ${guest.status}\n`
    if (verb === 'config' && guest !== undefined) {
      const rows = guestFile(guest.vmid).config.split('\n')
      return `${rows
        .filter((row) => row !== '')
        .sort()
        .join('\n')}\n`
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

/** Size of a new snapshot, bytes: little was written since. */
const newSnapshotBytes = 12 * 1024 ** 2

/** Lists ZFS volumes. Disks of guests are on the node's own pool; large disks include the space of their snapshot. */
const zfs: Program = ([verb, ...args], host) => {
  const { world, node, guestFile } = host
  if (verb !== 'list') return { stderr: `unrecognized command '${verb ?? ''}'\n`, exitCode: 2 }
  const { options, operands } = readOptions(args, 'tosSd')
  const pool = storagesOf(host).find(({ type, name }) => type === 'zfspool' && (operands[0] ?? name) === name)
  if (pool === undefined)
    return operands[0] === undefined
      ? 'no datasets available\n'
      : { stderr: `cannot open '${operands[0]}': dataset does not exist\n`, exitCode: 1 }
  const guests = [...world.guests.values()].filter((guest) => guest.node === node.name)
  const diskOf = (guest: SimGuest) => guest.diskRatio * guest.diskTotalBytes
  const disks = guests.reduce((sum, guest) => sum + diskOf(guest), 0)
  const poolMs = world.startedAt - 400 * 86_400_000
  const rows = [{ name: pool.name, used: pool.usedBytes, at: poolMs, kind: 'filesystem' }]
  for (const guest of guests.toSorted((a, b) => a.vmid - b.vmid)) {
    const isVm = guest.type === 'vm'
    const name = `${pool.name}/${isVm ? 'vm' : 'subvol'}-${guest.vmid}-disk-0`
    const { snapshots } = guestFile(guest.vmid)
    const isOld = snapshots.some((snapshot) => guest.vmid === oldSnapshot.vmid && snapshot.name === oldSnapshot.name)
    const held = isOld ? Math.max(0, pool.usedBytes - disks) : 0
    rows.push({ name, used: diskOf(guest) + held, at: poolMs, kind: isVm ? 'volume' : 'filesystem' })
    for (const snapshot of snapshots) {
      const used = snapshot.name === oldSnapshot.name ? held : newSnapshotBytes
      rows.push({ name: `${name}@${snapshot.name}`, used, at: snapshot.snaptime * 1000, kind: 'snapshot' })
    }
  }
  const kinds = options.get('t')?.split(',') ?? ['filesystem', 'volume']
  const columns = options.get('o')?.split(',') ?? ['name', 'used']
  const isExact = options.has('p')
  const cells = rows
    .filter(
      ({ kind, name }) =>
        (options.has('r') || name === pool.name || operands.length === 0 || kind === 'snapshot') &&
        (kinds.includes(kind) || kinds.includes('all')),
    )
    .map((row) =>
      columns.map((column) => {
        if (column === 'name') return row.name
        if (column === 'used') return isExact ? String(Math.round(row.used)) : short(row.used)
        if (column === 'creation') return isExact ? String(Math.floor(row.at / 1000)) : dateLine(row.at)
        return '-'
      }),
    )
  return options.has('H')
    ? lines(cells.map((row) => row.join('\t')))
    : table([columns.map((column) => column.toUpperCase()), ...cells])
}

/** Lists a host bridge and, if the hot guest is on this node, the graphics card. */
const lspci: Program = (args, { world, node }) => {
  const isThere = world.guests.get(hotGuest.vmid)?.node === node.name
  const { options } = readOptions(args, 's')
  const slot = options.get('s')?.replace(/^0000:/, '')
  const devices = [
    ['00:00.0', 'Host bridge: Advanced Micro Devices, Inc. [AMD] Renoir/Cezanne Root Complex'],
    ...(isThere ? [[gpu.slot, gpu.words]] : []),
  ]
  return lines(devices.filter(([at]) => slot === undefined || at === slot).map((row) => row.join(' ')))
}

const df: Program = (args, host) => {
  const { node } = host
  const size = args.some((arg) => arg === '-h' || arg === '-H')
    ? (bytes: number) => short(bytes)
    : (bytes: number) => String(Math.round(bytes / 1024))
  const row = (source: string, mount: string, { totalBytes, usedBytes }: { totalBytes: number; usedBytes: number }) => [
    source,
    size(totalBytes),
    size(usedBytes),
    size(totalBytes - usedBytes),
    percent(usedBytes, totalBytes),
    mount,
  ]
  const mounted = storagesOf(host).filter(({ type }) => type !== 'pbs')
  return table(
    [
      ['Filesystem', 'Size', 'Used', 'Avail', 'Use%', 'Mounted on'],
      row('/dev/mapper/pve-root', '/', { totalBytes: node.rootTotalBytes, usedBytes: node.rootBytes }),
      ...mounted.map(({ name, type, ...space }) =>
        type === 'nfs' ? row(`10.0.4.23:/mnt/tank/${name}`, `/mnt/pve/${name}`, space) : row(name, `/${name}`, space),
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
  zfs,
  lspci,
  df,
  lsblk,
  pveversion: () => `${pveVersion} (running kernel: ${kernel})\n`,
}
