/** Paths inside a sandbox: the working folder, and the socket of the proxy. */
export const inside = { work: '/work', egress: '/run/egress.sock' } as const

/** The full path of bubblewrap. Ubuntu's exception for user namespaces names this file and does not cover a copy elsewhere. */
export const bwrapPath = '/usr/bin/bwrap'

/** A mount. `from`: the path on the host. `to`: the path inside. Read-only unless `isWritable`. */
export type Bind = { from: string; to: string; isWritable?: true }

/** The files, folders and network that a sandbox has in addition to the host's programs. */
export type Cell = {
  binds: readonly Bind[]
  /** Folders that appear empty inside the sandbox. */
  hidden?: readonly string[]
  /** The working directory of the program, inside. Default `/work`. */
  cwd?: string
  /** Environment variables in addition to PATH, HOME and LANG. */
  env?: Readonly<Record<string, string>>
  /** The UNIX socket of a proxy on the host, which is `/run/egress.sock` inside. Absent: the sandbox has no network. */
  egress?: string
  /** The program makes namespaces itself, as Chromium's sandbox does. */
  nests?: true
  /** Size of `/tmp`, and of `/dev/shm`, both in memory, bytes. Default 64 MiB. */
  tmpBytes?: number
}

/** File descriptors in the parent process: of the seccomp filter, and of bubblewrap's status report if it is wanted. */
export type Descriptors = { seccomp: number; status?: number }

/**
 * Passes bubblewrap's arguments through a file. Bubblewrap is the first process of the sandbox, and a command could read its command line, which
 * would show folders of the host.
 */
export const argsFrom = (fd: number, program: readonly string[]): string[] => ['--args', String(fd), '--', ...program]

/** Entries of `/etc` that programs need to find libraries, certificates, fonts and the time zone. None of them is secret. */
const etc = [
  ...['ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'alternatives', 'ssl/certs', 'ssl/openssl.cnf', 'ca-certificates'],
  ...['localtime', 'timezone', 'fonts', 'mime.types', 'magic', 'nsswitch.conf', 'gai.conf', 'protocols', 'services'],
]

/**
 * If this process runs as root, the kernel's settings in `/proc` belong to the sandbox's user outside, who may write them even without capabilities. A
 * program that makes namespaces must write to its own folder of `/proc`, so for such a program only these folders are closed.
 */
const closedProc = ['sys', 'sysrq-trigger', 'irq', 'bus', 'fs', 'acpi', 'scsi', 'driver', 'mtrr'].flatMap((name) => [
  ...['--ro-bind-try', `/proc/${name}`, `/proc/${name}`],
])

/**
 * The options of bubblewrap: a root of a few read-only folders, own namespaces for everything, no capabilities, no environment.
 * @param fds file descriptors that are open in the process that becomes bubblewrap
 */
export function bwrapOptions(cell: Cell, fds: Descriptors): string[] {
  const { binds, hidden = [], cwd = inside.work, env = {}, egress, nests, tmpBytes = 64 * 1024 ** 2 } = cell
  return [
    // For uid 0, bubblewrap makes no user namespace unless this option asks for one.
    ...['--unshare-user', '--unshare-all', ...(nests ? [] : ['--disable-userns'])],
    // The uid is not 0, because programs such as tar would then try to change the owner of files.
    ...[
      '--uid',
      '1000',
      '--gid',
      '1000',
      '--die-with-parent',
      '--new-session',
      '--cap-drop',
      'ALL',
      '--hostname',
      'sandbox',
    ],
    ...['--ro-bind', '/usr', '/usr'],
    ...['bin', 'lib', 'lib64', 'sbin'].flatMap((name) => ['--symlink', `usr/${name}`, `/${name}`]),
    ...etc.flatMap((name) => ['--ro-bind-try', `/etc/${name}`, `/etc/${name}`]),
    ...['--proc', '/proc', '--dev', '/dev', '--size', String(tmpBytes), '--perms', '1777', '--tmpfs', '/dev/shm'],
    ...['--size', String(tmpBytes), '--perms', '1777', '--tmpfs', '/tmp'],
    ...binds.flatMap(({ from, to, isWritable }) => [isWritable ? '--bind' : '--ro-bind', from, to]),
    ...hidden.flatMap((to) => ['--size', '4096', '--tmpfs', to, '--remount-ro', to]),
    ...(egress === undefined ? [] : ['--ro-bind', egress, inside.egress]),
    ...(nests ? closedProc : ['--remount-ro', '/proc']),
    // Both are file systems in memory. If they were writable, files in them could use memory without limit.
    ...['--remount-ro', '/dev', '--remount-ro', '/', '--chdir', cwd, '--clearenv'],
    ...Object.entries({ PATH: '/usr/bin:/usr/sbin', HOME: inside.work, LANG: 'C.UTF-8', ...env }).flatMap(
      ([name, value]) => ['--setenv', name, value],
    ),
    ...['--seccomp', String(fds.seccomp)],
    ...(fds.status === undefined ? [] : ['--json-status-fd', String(fds.status)]),
  ]
}

/** Resource limits of one sandboxed program. The kernel counts CPU seconds and sizes for each process, and the number of processes for the whole sandbox. */
export type Limits = { memoryBytes: number; processes: number; cpuS: number; fileBytes: number; openFiles: number }

export const usualLimits: Limits = {
  memoryBytes: 512 * 1024 ** 2,
  processes: 128,
  cpuS: 60,
  fileBytes: 256 * 1024 ** 2,
  openFiles: 1024,
}

/** Puts `prlimit` before a program. It runs inside the sandbox, because the number of processes is counted in the sandbox's own user namespace. */
export const limited = (limits: Limits, program: readonly string[]): string[] => [
  '/usr/bin/prlimit',
  // `--as` is not limited, because runtimes that reserve address space (V8, Go, Java) would stop.
  ...[`--data=${limits.memoryBytes}`, `--nproc=${limits.processes}`, `--cpu=${limits.cpuS}:${limits.cpuS + 1}`],
  ...[`--fsize=${limits.fileBytes}`, `--nofile=${limits.openFiles}`, '--core=0', '--', ...program],
]
