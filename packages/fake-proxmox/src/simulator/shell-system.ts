import { kernel, knownServices, serviceName, unitOf } from './facts.ts'
import { journalLines } from './journal.ts'
import type { Program } from './shell.ts'
import { clockTime, dateLine, journalTime, lines, numberOption, short, table } from './shell-text.ts'
import type { SimNode, World } from './world.ts'

type Host = { world: World; node: SimNode }

function uptime({ world, node }: Host): string {
  const upS = Math.floor((world.clock.now() - node.bootedAt) / 1000)
  const days = Math.floor(upS / 86_400)
  const minutes = Math.floor(upS / 60)
  const clock = `${Math.floor((minutes % 1440) / 60)}:${String(minutes % 60).padStart(2, '0')}`
  const up = days > 0 ? `${days} days, ${clock}` : minutes < 60 ? `${minutes} min` : clock
  const load = [1, 0.97, 0.93].map((part) => (node.load1 * part).toFixed(2)).join(', ')
  return ` ${clockTime(world.clock.now())} up ${up},  1 user,  load average: ${load}\n`
}

const free: Program = (args, { node }) => {
  const mib = 1024 ** 2
  const size = args.includes('-h')
    ? (bytes: number) => short(bytes, 'i')
    : (bytes: number) => String(Math.round(bytes / (args.includes('-m') ? mib : 1024)))
  const available = node.ramTotalBytes - node.ramBytes
  const memory = [node.ramTotalBytes, node.ramBytes, available * 0.4, 64 * mib, available * 0.6, available]
  const rows = [
    ['', 'total', 'used', 'free', 'shared', 'buff/cache', 'available'],
    ['Mem:', ...memory.map(size)],
    ['Swap:', ...[8192 * mib, 0, 8192 * mib].map(size)],
  ]
  return table(rows, [1, 2, 3, 4, 5, 6])
}

type Process = { pid: string; user: string; cpu: number; ram: number; rss: number; command: string }

/** Lists the processes of a node. Each running guest is one process. */
function processes({ world, node }: Host): Process[] {
  const guests = [...world.guests.values()].filter((guest) => guest.node === node.name && guest.status === 'running')
  const ofGuests = guests.map(({ vmid, name, type, cpuRatio, cpuCount, ramRatio, ramTotalBytes }): Process => {
    const rss = ramRatio * ramTotalBytes
    const command =
      type === 'vm' ? `/usr/bin/kvm -id ${vmid} -name ${name},debug-threads=on` : `/sbin/init [lxc ${vmid} ${name}]`
    const user = type === 'vm' ? 'root' : '100000'
    return {
      pid: String(2000 + vmid),
      user,
      cpu: cpuRatio * cpuCount * 100,
      ram: (rss / node.ramTotalBytes) * 100,
      rss,
      command,
    }
  })
  const own = [
    '/sbin/init',
    'pvestatd',
    'pvedaemon worker',
    'pveproxy worker',
    '/usr/sbin/corosync -f',
    'sshd: /usr/sbin/sshd -D',
  ]
  const ofNode = own.map((command, index): Process => {
    const rss = (12 + index * 14) * 1024 ** 2
    return {
      pid: String(index === 0 ? 1 : 900 + index * 7),
      user: 'root',
      cpu: index * 0.2,
      ram: (rss / node.ramTotalBytes) * 100,
      rss,
      command,
    }
  })
  return [...ofNode, ...ofGuests]
}

const columns: ReadonlyMap<string, { title: string; of: (process: Process) => string }> = new Map([
  ['pid', { title: 'PID', of: (process) => process.pid }],
  ['user', { title: 'USER', of: (process) => process.user }],
  ['pcpu', { title: '%CPU', of: (process) => process.cpu.toFixed(1) }],
  ['pmem', { title: '%MEM', of: (process) => process.ram.toFixed(1) }],
  ['rss', { title: 'RSS', of: (process) => String(Math.round(process.rss / 1024)) }],
  ['args', { title: 'COMMAND', of: (process) => process.command }],
])
const aliases: Record<string, string> = { '%cpu': 'pcpu', '%mem': 'pmem', cmd: 'args', comm: 'args', command: 'args' }

function processTable(names: readonly string[], rows: readonly Process[]): string {
  const shown = names.map((name) => columns.get(aliases[name] ?? name)).filter((column) => column !== undefined)
  const right = shown.flatMap(({ title }, index) => (title === 'COMMAND' || title === 'USER' ? [] : [index]))
  return table([shown.map(({ title }) => title), ...rows.map((row) => shown.map(({ of }) => of(row)))], right)
}

const ps: Program = (args, host) => {
  const rows = processes(host)
  const sort = args.find((arg) => arg.startsWith('--sort='))?.slice('--sort='.length)
  if (sort === '-pcpu' || sort === '-%cpu') rows.sort((a, b) => b.cpu - a.cpu)
  if (sort === '-pmem' || sort === '-%mem' || sort === '-rss') rows.sort((a, b) => b.ram - a.ram)
  const chosen = args.findIndex((arg) => /^-[a-zA-Z]*o$/.test(arg))
  const names = chosen >= 0 ? (args[chosen + 1] ?? '').split(',') : ['user', 'pid', 'pcpu', 'pmem', 'rss', 'args']
  return processTable(names, rows)
}

const top: Program = (_args, host) => {
  const rows = processes(host).sort((a, b) => b.cpu - a.cpu)
  const idle = ((1 - host.node.cpuRatio) * 100).toFixed(1)
  return `top -${uptime(host)}%Cpu(s): ${(host.node.cpuRatio * 100).toFixed(1)} us, ${idle} id\n\n${processTable(['pid', 'user', 'pcpu', 'pmem', 'args'], rows)}`
}

const systemctl: Program = ([verb, ...names], { world, node }) => {
  const units = names.filter((name) => !name.startsWith('-')).map(serviceName)
  const stateOf = (unit: string) => unitOf(unit, world.unitChanges)
  const isKnown = (unit: string) => stateOf(unit).loadState !== 'not-found'
  if (verb === 'show') {
    const shown = units.map(stateOf).map(({ id, names: all, type = '', loadState, activeState, subState }) => {
      const files = all.map((name) => `${name}.service`).join(' ')
      return `Id=${id}.service\nNames=${files}\nType=${type}\nLoadState=${loadState}\nActiveState=${activeState}\nSubState=${subState}\n`
    })
    return shown.join('\n')
  }
  if (verb === 'is-active' || verb === 'is-enabled' || verb === 'is-failed') {
    const word = { 'is-active': 'active', 'is-enabled': 'enabled', 'is-failed': 'active' }[verb]
    const known = units.every(isKnown)
    return { stdout: lines(units.map((unit) => (isKnown(unit) ? word : 'inactive'))), exitCode: known ? 0 : 4 }
  }
  if (verb === 'status') {
    const unknown = units.find((unit) => !isKnown(unit))
    if (unknown !== undefined) return { stderr: `Unit ${unknown}.service could not be found.\n`, exitCode: 4 }
    const since = `${journalTime(node.bootedAt)} UTC`
    return lines(
      units.flatMap((unit) => [
        `● ${unit}.service`,
        `     Loaded: loaded (/usr/lib/systemd/system/${unit}.service; enabled; preset: enabled)`,
        `     Active: active (running) since ${since}`,
        `       Host: ${node.name}, ${dateLine(world.clock.now())}`,
      ]),
    )
  }
  if (verb !== undefined && /^(?:start|stop|restart|reload|enable|disable)$/.test(verb)) {
    const unknown = units.find((unit) => !isKnown(unit))
    if (unknown === undefined) return ''
    return { stderr: `Failed to ${verb} ${unknown}.service: Unit ${unknown}.service not found.\n`, exitCode: 5 }
  }
  if (names.includes('--failed') || verb === '--failed') return '0 loaded units listed.\n'
  return lines([...knownServices].map((unit) => `${unit}.service loaded active running ${unit}`))
}

const journalctl: Program = (args, { world, node }) => {
  const unitAt = args.findIndex((arg) => arg === '-u' || arg === '--unit')
  const unit = unitAt >= 0 ? serviceName(args[unitAt + 1] ?? '') : undefined
  const isKernel = args.some((arg) => arg === '-k' || arg === '--dmesg')
  const wanted = isKernel ? 'kernel' : unit
  const all = journalLines(world, node).filter((line) => wanted === undefined || line.includes(` ${wanted}[`))
  return all.length === 0 ? '-- No entries --\n' : lines(all.slice(-(numberOption(args, 'n', 'lines') ?? 40)))
}

const sensors: Program = (args, { node }) => {
  const celsius = node.temperatureC.toFixed(1)
  const chip = node.sensor === 'Tctl' ? 'k10temp-pci-00c3' : 'coretemp-isa-0000'
  if (args.includes('-j')) {
    const reading = { [node.sensor]: { temp1_input: Number(celsius) } }
    return `${JSON.stringify({ [chip]: { Adapter: 'ISA adapter', ...reading } }, null, 3)}\n`
  }
  return `${chip}\nAdapter: ISA adapter\n${node.sensor}:  +${celsius}°C  (high = +100.0°C)\n`
}

function ip(args: readonly string[], { node }: Host): string {
  if (args.includes('-br')) return `lo UNKNOWN 127.0.0.1/8\nvmbr0 UP ${node.ip}/24\n`
  return `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536\n    inet 127.0.0.1/8 scope host lo\n2: vmbr0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500\n    inet ${node.ip}/24 scope global vmbr0\n`
}

const listening = [
  ['State', 'Recv-Q', 'Send-Q', 'Local Address:Port', 'Process'],
  ['LISTEN', '0', '128', '0.0.0.0:22', 'users:(("sshd",pid=935,fd=3))'],
  ['LISTEN', '0', '4096', '*:8006', 'users:(("pveproxy",pid=921,fd=6))'],
  ['LISTEN', '0', '4096', '*:3128', 'users:(("spiceproxy",pid=928,fd=6))'],
]

const aptUpdate: Program = ([verb]) =>
  verb === 'update'
    ? 'Hit:1 http://deb.debian.org/debian trixie InRelease\nReading package lists...\nAll packages are up to date.\n'
    : { stderr: 'E: Invalid operation\n', exitCode: 100 }

/** Shows the node's link to each other node. */
const corosync: Program = (_args, { world, node }) => {
  const nodes = [...world.nodes.values()]
  const own = nodes.indexOf(node) + 1
  const links = nodes.flatMap((peer, at) =>
    peer === node
      ? []
      : [
          `nodeid: ${at + 1} ${peer.offlineSince === undefined ? 'reachable' : 'unreachable'}`,
          `   LINK: 0 udp (${node.ip}->${peer.ip}) enabled ${peer.offlineSince === undefined ? 'connected' : 'disconnected'} mtu: 1397`,
          '',
        ],
  )
  return lines([`Local node ID ${own}, transport knet`, ...links])
}

/** The node to which the UPS is connected. */
const upsNode = 'Home'
const upsc: Program = ([what, key], { world, node }) => {
  if (node.name !== upsNode) return { stderr: 'Error: Connection failure: Connection refused\n', exitCode: 1 }
  if (what === '-l') return 'rack\n'
  const values: Record<string, string> = {
    'ups.status': world.upsStatus,
    'battery.charge': '100',
    'battery.runtime': '2760',
  }
  if (key === undefined) return lines(Object.entries(values).map(([name, value]) => `${name}: ${value}`))
  return values[key] === undefined
    ? { stderr: 'Error: Variable not supported by UPS\n', exitCode: 1 }
    : `${values[key]}\n`
}

export const systemCommands: Record<string, Program> = {
  apt: aptUpdate,
  'apt-get': aptUpdate,
  uptime: (_args, host) => uptime(host),
  free,
  ps,
  top,
  systemctl,
  journalctl,
  sensors,
  ip,
  dmesg: (_args, { world, node }) =>
    lines(
      journalLines(world, node)
        .filter((line) => line.includes(' kernel['))
        .map((line) => line.replace('[1]', '')),
    ),
  hostname: (_args, { node }) => `${node.name}\n`,
  date: (_args, { world }) => `${dateLine(world.clock.now())}\n`,
  who: (_args, { world }) =>
    `root     pts/0        ${new Date(world.startedAt).toISOString().slice(0, 16).replace('T', ' ')} (10.0.4.2)\n`,
  nproc: (_args, { node }) => `${node.cpuCount}\n`,
  uname: (args, { node }) =>
    args.includes('-a')
      ? `Linux ${node.name} ${kernel} #1 SMP PREEMPT_DYNAMIC x86_64 GNU/Linux\n`
      : args.includes('-r')
        ? `${kernel}\n`
        : 'Linux\n',
  ss: () => table(listening),
  'corosync-cfgtool': corosync,
  upsc,
}
