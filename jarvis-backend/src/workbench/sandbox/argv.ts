/** Where a sandbox's own folder and its way out stand inside. */
export const inside = { work: '/work', egress: '/run/egress.sock' } as const

/** Started by its full path: Ubuntu's exception for user namespaces names this file, and a copy elsewhere is not covered by it. */
export const bwrapPath = '/usr/bin/bwrap'

/** `from`: on this machine; `to`: inside. Read-only unless `isWritable`. */
export type Bind = { from: string; to: string; isWritable?: true }

/** The files, folders and network that a sandbox has in addition to the machine's programs. */
export type Cell = {
  binds: readonly Bind[]
  /** Folders that appear empty inside the sandbox. */
  hidden?: readonly string[]
  /** Where the program starts, inside. Default `/work`. */
  cwd?: string
  /** Besides PATH, HOME and LANG. */
  env?: Readonly<Record<string, string>>
  /** The UNIX socket of our proxy on this machine, which is then `/run/egress.sock` inside. Absent: nothing leads out. */
  egress?: string
  /** The program makes namespaces of its own, as Chromium's sandbox does. */
  nests?: true
  /** Bytes of `/tmp`, and of `/dev/shm`, in memory. Default 64 MiB. */
  tmpBytes?: number
}

/** The numbers that the program's parent gave to the files of the filter and, if wanted, of bubblewrap's report. */
export type Descriptors = { seccomp: number; status?: number }

/** Bubblewrap's arguments from a file: the first process of a sandbox is bubblewrap, and a command could read folders of this machine in its arguments. */
export const argsFrom = (fd: number, program: readonly string[]): string[] => ['--args', String(fd), '--', ...program]

/** Entries of `/etc` that programs need to find libraries, certificates, fonts and the time zone. None of them is secret. */
const etc = [
  ...['ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'alternatives', 'ssl/certs', 'ssl/openssl.cnf', 'ca-certificates'],
  ...['localtime', 'timezone', 'fonts', 'mime.types', 'magic', 'nsswitch.conf', 'gai.conf', 'protocols', 'services'],
]

/**
 * Where JARVIS runs as root, the kernel's settings belong to the user that the sandbox has outside, capabilities or not. A program that makes
 * namespaces has to write to its own folder of `/proc`, so for it only these are closed.
 */
const closedProc = ['sys', 'sysrq-trigger', 'irq', 'bus', 'fs', 'acpi', 'scsi', 'driver', 'mtrr'].flatMap((name) => [
  ...['--ro-bind-try', `/proc/${name}`, `/proc/${name}`],
])

/**
 * The options of bubblewrap: a root of a few read-only folders, namespaces of its own for everything, no capability, no environment.
 * A number of `fds` is a file that is open in the process that becomes bubblewrap.
 */
export function bwrapOptions(cell: Cell, fds: Descriptors): string[] {
  const { binds, hidden = [], cwd = inside.work, env = {}, egress, nests, tmpBytes = 64 * 1024 ** 2 } = cell
  return [
    // Bubblewrap leaves the user namespace out for uid 0 unless told.
    ...['--unshare-user', '--unshare-all', ...(nests ? [] : ['--disable-userns'])],
    // Not 0, or programs such as tar believe that they may give files away.
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
    // Both are file systems in memory, which would else take files without limit.
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

/** Puts `prlimit` before a program. It runs inside, because the number of processes counts in the sandbox's own user namespace. */
export const limited = (limits: Limits, program: readonly string[]): string[] => [
  '/usr/bin/prlimit',
  // `--as` would stop runtimes that reserve address space: V8, Go, Java.
  ...[`--data=${limits.memoryBytes}`, `--nproc=${limits.processes}`, `--cpu=${limits.cpuS}:${limits.cpuS + 1}`],
  ...[`--fsize=${limits.fileBytes}`, `--nofile=${limits.openFiles}`, '--core=0', '--', ...program],
]
