import { kernel, pveVersion } from './facts.ts'
import { journalLines } from './journal.ts'
import type { Program } from './shell.ts'
import { lines } from './shell-text.ts'
import type { SimNode, World } from './world.ts'

type Host = { world: World; node: SimNode }

/** The few files of a node that the shell can read. */
const files: ReadonlyMap<string, (host: Host) => string> = new Map([
  ['/etc/hostname', ({ node }) => `${node.name}\n`],
  ['/etc/hosts', hosts],
  [
    '/etc/os-release',
    () => 'PRETTY_NAME="Debian GNU/Linux 13 (trixie)"\nNAME="Debian GNU/Linux"\nVERSION_ID="13"\nID=debian\n',
  ],
  ['/etc/debian_version', () => '13.1\n'],
  ['/etc/pve/.version', () => `${pveVersion}\n`],
  ['/etc/pve/storage.cfg', ({ world }) => world.storages.map(storageEntry).join('\n')],
  ['/proc/loadavg', loadavg],
  ['/proc/uptime', ({ world, node }) => `${((world.clock.now() - node.bootedAt) / 1000).toFixed(2)} 0.00\n`],
  ['/proc/version', () => `Linux version ${kernel} (build@proxmox) #1 SMP PREEMPT_DYNAMIC PMX ${kernel}\n`],
  ['/proc/cpuinfo', cpuinfo],
  ['/sys/class/thermal/thermal_zone0/temp', ({ node }) => `${Math.round(node.temperatureC * 1000)}\n`],
  ['/var/log/syslog', ({ world, node }) => lines(journalLines(world, node))],
])

function hosts({ world }: Host): string {
  return lines(['127.0.0.1 localhost', ...[...world.nodes.values()].map(({ ip, name }) => `${ip} ${name}.lan ${name}`)])
}

const storageEntry = ({ type, name, content }: World['storages'][number]) =>
  `${type}: ${name}\n\tcontent ${content.join(',')}\n`

function loadavg({ node }: Host): string {
  const load = [1, 0.97, 0.93].map((part) => (node.load1 * part).toFixed(2)).join(' ')
  return `${load} ${Math.max(1, Math.round(node.load1))}/1284 2861442\n`
}

function cpuinfo({ node }: Host): string {
  const core = (index: number) =>
    `processor\t: ${index}\nmodel name\t: ${node.cpuModel}\ncpu cores\t: ${node.cpuCount}\n`
  return Array.from({ length: node.cpuCount }, (_, index) => core(index)).join('\n')
}

export const fileText = (path: string, host: Host): string | undefined => files.get(path)?.(host)

const isOption = (arg: string) => arg.startsWith('-') && arg.length > 1

const otherFolders = ['/boot', '/home', '/mnt', '/root', '/srv', '/tmp', '/usr']

export const ls: Program = (args, { world, node }) => {
  const path = args.find((arg) => !isOption(arg))?.replace(/(.)\/$/, '$1') ?? '/root'
  const isLong = args.some((arg) => isOption(arg) && !arg.startsWith('--') && arg.includes('l'))
  const below = [...files.keys(), ...otherFolders].filter((file) => file.startsWith(path === '/' ? '/' : `${path}/`))
  const names = [
    ...new Set(below.map((file) => file.slice(path === '/' ? 1 : path.length + 1).split('/')[0] ?? '')),
  ].sort()
  if (files.has(path)) return `${path}\n`
  if (names.length === 0 && !otherFolders.includes(path)) {
    return { stderr: `ls: cannot access '${path}': No such file or directory\n`, exitCode: 2 }
  }
  if (!isLong) return lines(names)
  const changed = new Date(Math.min(node.bootedAt, world.startedAt)).toISOString().slice(0, 10)
  const row = (name: string) => {
    const isFile = files.has(`${path === '/' ? '' : path}/${name}`)
    return `${isFile ? '-rw-r--r-- 1' : 'drwxr-xr-x 2'} root root 4096 ${changed} ${name}`
  }
  return lines([`total ${names.length * 4}`, ...names.map(row)])
}
