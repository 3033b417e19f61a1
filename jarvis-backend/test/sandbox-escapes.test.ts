import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from 'node-kit/clock'
import type { Cell } from 'sandbox/argv'
import { belowOf } from 'sandbox/below'
import { loadOf } from 'sandbox/process-tree'
import { rehearse } from 'sandbox/rehearse'
import { type RunEnd, type RunOptions, runInCell } from 'sandbox/run'
import { taskGroup } from 'sandbox/task-group'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testWith } from '../../scripts/test-with.js'
import { failingRows } from './support/failing-rows.ts'
import { every } from './support/real-time.ts'

const dir = mkdtempSync(join(tmpdir(), 'jarvis-escape-'))
const work = join(dir, 'work')
const secret = 'planted-4f1c9a'
let tcp: Server
let port = 0
let abstract: Server

beforeAll(async () => {
  mkdirSync(work)
  writeFileSync(join(dir, 'jarvis.db'), secret)
  writeFileSync(join(dir, 'outside'), secret)
  // Anybody may read it, so that nothing but the sandbox is in the way.
  chmodSync(dir, 0o755)
  tcp = createServer((socket) => socket.end(secret)).listen(0, '127.0.0.1')
  abstract = createServer((socket) => socket.end(secret)).listen(`\0jarvis-${process.pid}`)
  await Promise.all(
    [tcp, abstract].map((server) => server.listening || new Promise((done) => server.once('listening', done))),
  )
  port = (tcp.address() as { port: number }).port
})
afterAll(() => {
  tcp.close()
  abstract.close()
  rmSync(dir, { recursive: true, force: true })
})

type Ran = { end: Extract<RunEnd, { kind: 'ended' }>; said: string }
async function run(
  command: string,
  more: Partial<Cell> = {},
  timeoutMs = 10_000,
  options: Pick<RunOptions, 'starter'> = {},
): Promise<Ran> {
  const cell: Cell = { binds: [{ from: work, to: '/work', isWritable: true }], ...more }
  const running = runInCell(cell, command.replaceAll('DIR', dir).replaceAll('PORT', String(port)), {
    clock: systemClock,
    timeoutMs,
    ...options,
  })
  const end = await running.ended
  if (end.kind !== 'ended') throw new Error(`The sandbox did not start: ${end.said}`)
  return { end, said: running.output.text() }
}

/** Runs commands one after another in one sandbox. @returns how each ended and what it said */
async function runEach(commands: readonly string[], more: Partial<Cell> = {}) {
  const parts = commands.map((command, at) => `(\n${command}\n) 2>&1\nprintf '\n@@%d %d@@\n' ${at} $?`)
  const { said } = await run(parts.join('\n'), more, 60_000)
  let from = 0
  return commands.map((_, at) => {
    const end = new RegExp(`\n@@${at} (\\d+)@@\n`).exec(said.slice(from))
    if (end === null) throw new Error(`Command ${at} did not end: ${said.slice(from)}`)
    const part = said.slice(from, from + end.index)
    from += end.index + end[0].length
    return { exitCode: Number(end[1]), said: part }
  })
}

/** All rows whose command ended with 0, or told the secret. */
async function escaped(rows: readonly (readonly [what: string, command: string])[], more: Partial<Cell> = {}) {
  const ends = await runEach(
    rows.map(([, command]) => command),
    more,
  )
  const judge = ([at]: readonly [number, string]) => {
    const { exitCode, said } = ends[at] ?? {}
    expect(said).not.toContain(secret)
    expect(exitCode, said).not.toBe(0)
  }
  return failingRows(
    rows.map(([what], at) => [at, what] as const),
    judge,
    ([, what]) => what,
  )
}

/** A system call by its number, for what no program offers. Prints its result, or -1 and the error's number. */
const call = (number: string, ...args: string[]) =>
  `python3 -c "import ctypes,platform
l=ctypes.CDLL(None,use_errno=True)
x=platform.machine()=='x86_64'
r=l.syscall(${number},${args.length === 0 ? '0' : args.join(',')})
print(r, ctypes.get_errno())"`
const refused = /^-1 1$/m
const socket = (family: string, kind = 'SOCK_STREAM') =>
  `python3 -c "import socket; socket.socket(socket.${family}, socket.${kind}); print('OPEN')"`

const files: [what: string, command: string][] = [
  ['/home is not there', 'ls /home'],
  ['/root is not there', 'ls /root'],
  ['~/.ssh is not there', 'cat ~/.ssh/id_rsa ~root/.ssh/authorized_keys'],
  ['/etc/shadow is not there', 'cat /etc/shadow'],
  ['/etc/passwd is not there', 'cat /etc/passwd'],
  ['/etc/hostname is not there', 'cat /etc/hostname'],
  ['/etc/hosts is not there', 'cat /etc/hosts'],
  ['/etc/resolv.conf is not there', 'cat /etc/resolv.conf'],
  ['/etc/pve is not there', 'ls /etc/pve'],
  ['/etc/ssh is not there', 'ls /etc/ssh'],
  ['/var is not there', 'ls /var'],
  ['/run is not there', 'ls /run/dbus /run/systemd'],
  ['/sys is not there', 'ls /sys'],
  ['/boot is not there', 'ls /boot'],
  ['/opt is not there', 'ls /opt'],
  ['/srv is not there', 'ls /srv'],
  ['/mnt is not there', 'ls /mnt'],
  ['docker.sock is not there', 'ls /var/run/docker.sock /run/docker.sock'],
  ['JARVIS’s database is not there', 'cat DIR/jarvis.db'],
  ['a file beside the folder is not there', 'cat /work/../outside DIR/outside'],
  ['a link out of the folder leads nowhere', 'ln -sfn DIR/outside /work/l; cat /work/l'],
  ['the root of the first process is the sandbox’s own', 'cat /proc/1/root/DIR/outside'],
  ['an open folder of bubblewrap does not lead out', 'cat /proc/1/cwd/../outside /proc/1/fd/*/outside'],
  ['the old root is not reachable', 'ls /oldroot /newroot'],
  ['/ is not writable', 'touch /x'],
  ['/usr is not writable', 'touch /usr/bin/x'],
  ['/usr is not writable where it was linked', 'touch /bin/x'],
  ['/etc is not writable', 'touch /etc/x'],
  ['/dev takes no file', 'touch /dev/x'],
  ['/proc/sys is not writable', ': >> /proc/sys/kernel/core_pattern'],
  ['/proc/sysrq-trigger is not writable', ': >> /proc/sysrq-trigger'],
  ['the kernel’s memory is not readable', 'head -c 1 /proc/kcore'],
  ['the kernel’s log is not readable', 'dmesg'],
  ['no disk is there', 'ls /dev/sda /dev/vda /dev/nvme0n1 /dev/mem /dev/kmsg'],
  ['a device cannot be made', 'mknod /tmp/d b 8 0'],
  ['/usr cannot be mounted writable', 'mount -o remount,rw /usr'],
  ['nothing can be mounted', 'mount -t tmpfs t /tmp'],
  ['a new mount namespace is refused', 'unshare -m true'],
  ['a new user namespace is refused', 'unshare -U true'],
  ['a new user namespace with root is refused', 'unshare -Ur true'],
  ['a new process namespace is refused', 'unshare -p true'],
  ['another’s namespace cannot be joined', 'nsenter -t 1 -m true'],
  ['chroot is refused', 'chroot /usr /bin/true'],
  ['su has no way', 'su -c true'],
  ['a program of root gives no rights', 'sudo -n true'],
  ['the clock cannot be set', 'date -s 2001-01-01'],
  ['the name cannot be set', 'hostname other'],
  ['a file cannot be given away', 'touch /work/o && chown 0:0 /work/o'],
  ['limits cannot be raised', 'ulimit -Hn 4096'],
  ['a priority cannot be raised', 'nice -n -5 true 2>&1 | grep -q "cannot set" && exit 1'],
]

testWith('bubblewrap')('no file, device or namespace of this machine is there, and no right', async () => {
  expect(await escaped(files)).toEqual([])
})

/** As Chromium's: it may make namespaces, and with them sees a `/proc` that is writable. */
const nested: [what: string, command: string][] = [
  ['the kernel’s settings', ': >> /proc/sys/kernel/core_pattern'],
  ['the kernel’s settings as root of its own namespace', 'unshare -Ur sh -c ": >> /proc/sys/kernel/core_pattern"'],
  [
    'the kernel’s settings, uncovered in its own namespace',
    'unshare -Urm sh -c "umount /proc/sys; : >> /proc/sys/kernel/core_pattern"',
  ],
  [
    'the kernel’s settings in a new /proc',
    'unshare -Urmpf sh -c "mount -t proc p /tmp; : >> /tmp/sys/kernel/core_pattern"',
  ],
  ['/usr, remounted in its own namespace', 'unshare -Urm sh -c "mount -o remount,rw,bind /usr; touch /usr/x"'],
  ['other files', 'cat DIR/outside'],
]
testWith('bubblewrap')('a sandbox that may nest reaches no more', async () => {
  expect(await escaped(nested, { nests: true })).toEqual([])
})

const calls: [what: string, command: string, says: RegExp][] = [
  ['io_uring_setup', call('425', '1', '0'), refused],
  ['ptrace', call('101 if x else 117', '0'), refused],
  ['process_vm_readv', call('310 if x else 270', '1'), refused],
  ['pidfd_getfd', call('438', '0', '0', '0'), refused],
  ['keyctl', call('250 if x else 219', '0'), refused],
  ['add_key', call('248 if x else 217', '0'), refused],
  ['bpf', call('321 if x else 280', '0', '0', '0'), refused],
  ['userfaultfd', call('323 if x else 282', '0'), refused],
  ['perf_event_open', call('298 if x else 241', '0', '0', '-1', '-1', '0'), refused],
  ['open_by_handle_at', call('304 if x else 265', '0', '0', '0'), refused],
  ['kexec_load', call('246 if x else 104', '0', '0', '0', '0'), refused],
  ['init_module', call('175 if x else 105', '0', '0', '0'), refused],
  ['unshare of users', call('272 if x else 97', '0x10000000'), refused],
  ['setns', call('308 if x else 268', '0', '0'), refused],
  ['fsopen', call('430', '0', '0'), refused],
  ['move_mount', call('429', '0', '0', '0', '0', '0'), refused],
  ['pivot_root', call('155 if x else 41', '0', '0'), refused],
  ['a UNIX socket', socket('AF_UNIX'), /PermissionError/],
  ['a netlink socket', socket('AF_NETLINK', 'SOCK_RAW'), /PermissionError/],
  ['a packet socket', socket('AF_PACKET', 'SOCK_RAW'), /PermissionError/],
  ['a socket of the hypervisor', socket('AF_VSOCK'), /PermissionError/],
  ['a raw socket', socket('AF_INET', 'SOCK_RAW'), /PermissionError|OSError/],
  [
    'TIOCSTI at a terminal of its own',
    `script -qfec "python3 -c \\"import fcntl,termios; fcntl.ioctl(0, 0x5412, b'x')\\"" /dev/null`,
    /PermissionError/,
  ],
  ['no capability', "grep -E '^Cap(Eff|Prm|Bnd)' /proc/self/status", /CapPrm:\s0+\nCapEff:\s0+\nCapBnd:\s0+/],
  ['no new rights', 'grep NoNewPrivs /proc/self/status', /NoNewPrivs:\s1/],
  ['a filter', 'grep -m1 Seccomp: /proc/self/status', /Seccomp:\s2/],
]
testWith('bubblewrap')('the kernel is asked in vain for what would lead out', async () => {
  const ends = await runEach(calls.map(([, command]) => command))
  const judge = (row: (typeof calls)[number]) => expect(ends[calls.indexOf(row)]?.said).toMatch(row[2])
  expect(await failingRows(calls, judge)).toEqual([])
})

const connect = (to: string) =>
  `timeout 3 bash -c 'cat < /dev/tcp/${to}' 2>&1; python3 -c "import socket; print(socket.create_connection(('${to.split('/')[0]}', ${to.split('/')[1]}), 2).recv(99))"`
const network: [what: string, command: string][] = [
  ['this machine’s 127.0.0.1', connect('127.0.0.1/PORT')],
  ['JARVIS’s own port', connect('127.0.0.1/4000')],
  ['the addresses of clouds’ secrets', connect('169.254.169.254/80')],
  ['a private address', connect('192.168.1.1/8006')],
  ['a public address', connect('1.1.1.1/53')],
  ['this machine over IPv6', 'python3 -c "import socket; socket.create_connection((\'::1\', PORT), 2)"'],
  ['a name', 'getent hosts example.org'],
  [
    'a datagram',
    "python3 -c \"import socket; s=socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.sendto(b'x', ('1.1.1.1', 53))\"",
  ],
  [
    'a broadcast',
    "python3 -c \"import socket; s=socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1); s.sendto(b'x', ('255.255.255.255', 9))\"",
  ],
]
testWith('bubblewrap')('without a network there is no way to another place', async () => {
  expect(await escaped(network)).toEqual([])
})

testWith('bubblewrap')(
  'an abstract socket belongs to the network outside, even where UNIX sockets are allowed',
  async () => {
    const egress = join(dir, 'egress.sock')
    const proxy = createServer((socket) => socket.end('the proxy')).listen(egress)
    await new Promise((done) => proxy.once('listening', done))
    const to = (address: string) =>
      `python3 -c "import socket; s=socket.socket(socket.AF_UNIX); s.connect(${address}); print(s.recv(99))"`
    const inVain = await run(to(`'\\\\0jarvis-${process.pid}'`), { egress })
    const reached = await run(to("'/run/egress.sock'"), { egress })
    proxy.close()
    expect(inVain.said).toMatch(/ConnectionRefused/)
    expect(reached.said).toContain('the proxy')
  },
)

testWith('bubblewrap')('the environment holds three names, and nothing of JARVIS’s', async () => {
  process.env.JARVIS_TEST_SECRET = secret
  const { said } = await run('env -0 | tr "\\0" "\\n" | sort')
  delete process.env.JARVIS_TEST_SECRET
  const names = said
    .trim()
    .split('\n')
    .map((line) => line.split('=')[0])
  expect(names.filter((name) => !['PWD', 'SHLVL', '_', 'OLDPWD'].includes(name ?? ''))).toEqual([
    'HOME',
    'LANG',
    'PATH',
  ])
})

testWith('bubblewrap')('other processes are not seen', async () => {
  const { said } = await run('ls /proc | grep -c "^[0-9]"; cat /proc/[0-9]*/environ | tr "\\0" "\\n" | grep -c JARVIS')
  expect(Number(said.split('\n')[0])).toBeLessThan(10)
  expect(said.split('\n')[1]).toBe('0')
})

testWith('bubblewrap')('a signal to every process ends the sandbox alone', async () => {
  await run('kill -9 -1; kill -9 1; echo alive')
  expect(process.pid).toBeGreaterThan(0)
})

testWith('bubblewrap')('nothing can be read from stdin', async () => {
  expect((await run('readlink /proc/self/fd/0; cat; echo end')).said).toBe('/dev/null\nend\n')
})

/** Processes of this machine with that word in their command line. */
const alive = (word: string) =>
  readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(word)
      } catch {
        return false
      }
    })

const stayers: [what: string, command: string][] = [
  ['a child in the background', 'sleep 4711.1 & echo ok'],
  ['a daemon', 'setsid nohup sleep 4711.1 >/dev/null 2>&1 & echo ok'],
  ['a daemon of a daemon', '(setsid sh -c "setsid sleep 4711.1 & exit" &) ; echo ok'],
  ['a child that hears no signal', '(trap "" TERM HUP INT; sleep 4711.1) & echo ok'],
]
testWith('bubblewrap').each(stayers)('%s ends with its command', async (_what, command) => {
  expect((await run(command)).said).toContain('ok')
  expect(alive('4711.1')).toEqual([])
})

testWith('bubblewrap')('what does not end by TERM is ended two seconds after its time', async () => {
  const { end } = await run('trap "" TERM; setsid sleep 4712.1 & sleep 4712.1', {}, 300)
  expect(end).toMatchObject({ exitCode: 137, why: 'time' })
  expect(end.durationMs).toBeLessThan(60_000)
  expect(alive('4712.1')).toEqual([])
})

testWith('bubblewrap')('what ends by TERM may say so', async () => {
  const { end, said } = await run('trap "echo bye; exit 7" TERM; while :; do sleep 0.05; done', {}, 300)
  expect([end.exitCode, end.why, said]).toEqual([7, 'time', expect.stringMatching(/bye\n$/)])
})

const hogs: [what: string, command: string, end: object, says: RegExp][] = [
  ['memory of one process', 'python3 -c "x=bytearray(700*1024*1024)"', { exitCode: 1 }, /MemoryError/],
  [
    'memory of many',
    'for i in 1 2 3 4; do python3 -c "x=b\'x\'*(400*1024*1024); import time; time.sleep(9)" & done; wait',
    { why: 'memory' },
    /^/,
  ],
  ['a large file', 'head -c 300M /dev/zero > /work/big', { exitCode: 153 }, /File too large|File size limit/],
  ['/tmp', 'head -c 70M /dev/zero > /tmp/big', { exitCode: 1 }, /No space left/],
  ['/dev/shm', 'head -c 70M /dev/zero > /dev/shm/big', { exitCode: 1 }, /No space left/],
  ['open files', 'python3 -c "l=[open(\'/dev/null\') for _ in range(2000)]"', { exitCode: 1 }, /Too many open files/],
  ['a core file', 'ulimit -c', { exitCode: 0 }, /^0$/m],
]
testWith('bubblewrap').each(hogs)('%s has a limit', async (_what, command, end, says) => {
  // A slow machine takes seconds to hand out a gigabyte; the limit on time must not come first.
  const ran = await run(command, {}, 60_000)
  expect(ran.end).toMatchObject(end)
  expect(ran.said).toMatch(says)
  rmSync(join(work, 'big'), { force: true })
})

const bomb = ':(){ :|:& };:; sleep 9'
/** The most processes that descend from this one while something runs. */
async function mostProcesses<T>(running: Promise<T>): Promise<[T, number]> {
  let most = 0
  const stopLooking = every(50, () => {
    most = Math.max(most, loadOf(process.pid).count)
  })
  return [await running.finally(stopLooking), most]
}
const isRoot = process.getuid?.() === 0

testWith('bubblewrap')(
  'the kernel holds a fork bomb at 128 processes for every user but the machine’s root',
  async () => {
    const asNobody = isRoot ? ['/usr/bin/setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--'] : []
    const [{ end }, most] = await mostProcesses(
      run(bomb, { binds: [], cwd: '/tmp' }, 1_000, { starter: { before: asNobody } }),
    )
    expect(end.why).toBe('time')
    expect(most).toBeLessThan(150)
  },
)

// Without a group, a bomb of root's would starve the machine of the test before anybody looks.
const many = taskGroup().kind === 'group' ? bomb : 'for n in $(seq 300); do sleep 9 & done; wait'
testWith('bubblewrap')('more than 160 processes end a command, and a group bounds those of root', async () => {
  const [{ end }, most] = await mostProcesses(run(many, {}, 60_000))
  expect(most).toBeLessThan(1_200)
  if (isRoot) expect(end).toMatchObject({ why: 'processes', exitCode: 137 })
})

testWith('bubblewrap')('nothing in /proc names the folder’s place, JARVIS’s data dir or what they hold', async () => {
  const command = 'cat /proc/[0-9]*/{environ,cmdline,mountinfo,mounts,maps} /proc/mounts; ls -l /proc/1/{fd,cwd,root}'
  const asked = { folder: work, command, below: belowOf(work), timeoutMs: 10_000, confined: { level: 'full' } } as const
  const survey = { bytes: 0, hasForeign: false, repositories: [], secrets: [{ path: '.env', isFolder: false }] }
  writeFileSync(join(work, '.env'), secret)
  const parts = {
    clock: systemClock,
    dir: join(dir, 'layers'),
    keep: () => undefined,
    discard: () => undefined,
    hasRoom: () => true,
  }
  const running = await rehearse('cmd_1', { ...asked, survey }, parts)
  const end = await running.ended
  rmSync(join(work, '.env'))
  const said = running.output.text()
  expect(said).toContain('/work')
  expect(said).not.toContain(secret)
  // The mounts of a copy name where it is.
  if (end.kind === 'ended' && end.way === 'overlay') expect(said.replaceAll(command, '')).not.toContain(dir)
})

testWith('bubblewrap')('of 50 MB of output 100 KB are kept, and the rest is counted', async () => {
  const { end, said } = await run('echo first; head -c 50000000 /dev/zero | tr "\\0" x; echo last', {}, 60_000)
  expect(end).toMatchObject({ exitCode: 0 })
  expect(said.length).toBeLessThan(103_000)
  expect([said.slice(0, 5), said.trimEnd().slice(-4)]).toEqual(['first', 'last'])
  const left = Number(/… (\d+) bytes left out …/.exec(said)?.[1])
  // Words are not cut, so a little less than 100 KB may be kept.
  expect(left).toBeGreaterThanOrEqual(50_000_011 - 100 * 1024)
  expect(left).toBeLessThan(50_000_011)
})

test('the table has at least eighty rows', () => {
  const single = 12
  expect(
    files.length + nested.length + calls.length + network.length + stayers.length + hogs.length + single,
  ).toBeGreaterThanOrEqual(80)
  expect(existsSync(work)).toBe(true)
})
