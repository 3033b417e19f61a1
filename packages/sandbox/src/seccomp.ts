/**
 * Builds the seccomp filter of a sandboxed program, as a BPF program of the kernel with 8 bytes for each instruction. Namespaces already hide files,
 * processes and networks. The filter also refuses calls that bypass namespaces or reach rarely tested code of the kernel.
 */

/** The numbers of system calls for one architecture, as they differ. */
type Machine = {
  audit: number
  socket: number
  ioctl: number
  /** The first number of the x32 ABI, which offers the same calls under other numbers. */
  x32?: number
  refused: readonly number[]
  /** Refused unless the program makes namespaces itself. */
  namespaces: readonly number[]
  /** Refused if the program shares the host's processes, files and users. */
  shared: readonly number[]
  /**
   * If the program shares them, an ordinary user may use these calls on open files, because that user does not own the files that it may only read.
   * Root may not use them.
   */
  fchmod: number
  utimensat: number
  /** If the program shares them, these calls are refused unless Landlock controls them: `truncate` from ABI 3 on, signals from ABI 6 on. */
  truncate: number
  signals: readonly number[]
  prlimit: number
  fcntl: number
}

const machines: Readonly<Record<string, Machine>> = {
  x64: {
    audit: 0xc000003e,
    socket: 41,
    ioctl: 16,
    x32: 0x40000000,
    refused: [
      // ptrace, process_vm_readv, process_vm_writev, pidfd_getfd, kcmp
      ...[101, 310, 311, 438, 312],
      // add_key, request_key, keyctl
      ...[248, 249, 250],
      // bpf, userfaultfd, perf_event_open, io_uring_setup, io_uring_enter, io_uring_register
      ...[321, 323, 298, 425, 426, 427],
      // name_to_handle_at, open_by_handle_at, lookup_dcookie, syslog
      ...[303, 304, 212, 103],
      // kexec_load, kexec_file_load, init_module, finit_module, delete_module
      ...[246, 320, 175, 313, 176],
      // acct, quotactl, swapon, swapoff, reboot, vhangup, iopl, ioperm
      ...[163, 179, 167, 168, 169, 153, 172, 173],
      // settimeofday, clock_settime, adjtimex, clock_adjtime
      ...[164, 227, 159, 305],
    ],
    // mount, umount2, pivot_root, setns, unshare, open_tree, move_mount, fsopen, fsconfig, fsmount, fspick, mount_setattr
    namespaces: [165, 166, 155, 308, 272, 428, 429, 430, 431, 432, 433, 442],
    shared: [
      // chmod, fchmodat, fchmodat2, chown, fchown, lchown, fchownat
      ...[90, 268, 452, 92, 93, 94, 260],
      // utime, utimes, futimesat
      ...[132, 235, 261],
      // setxattr, lsetxattr, fsetxattr, removexattr, lremovexattr, fremovexattr, setxattrat, removexattrat, file_setattr
      ...[188, 189, 190, 197, 198, 199, 463, 466, 469],
      // sched_setparam, sched_setscheduler, sched_setaffinity, sched_setattr, setpriority, ioprio_set, migrate_pages, move_pages
      ...[142, 144, 203, 314, 141, 251, 256, 279],
      // shmget, shmat, shmctl, semget, semop, semctl, semtimedop, msgget, msgsnd, msgrcv, msgctl, mq_open, mq_unlink
      ...[29, 30, 31, 64, 65, 66, 220, 68, 69, 70, 71, 240, 241],
      // fanotify_init, inotify_add_watch, sethostname, setdomainname
      ...[300, 254, 170, 171],
    ],
    fchmod: 91,
    utimensat: 280,
    truncate: 76,
    // kill, tkill, tgkill, rt_sigqueueinfo, rt_tgsigqueueinfo, pidfd_send_signal
    signals: [62, 200, 234, 129, 297, 424],
    prlimit: 302,
    fcntl: 72,
  },
  arm64: {
    audit: 0xc00000b7,
    socket: 198,
    ioctl: 29,
    refused: [
      ...[117, 270, 271, 438, 272],
      ...[217, 218, 219],
      ...[280, 282, 241, 425, 426, 427],
      ...[264, 265, 18, 116],
      ...[104, 294, 105, 273, 106],
      ...[89, 60, 224, 225, 142, 58],
      ...[170, 112, 171, 266],
    ],
    namespaces: [40, 39, 41, 268, 97, 428, 429, 430, 431, 432, 433, 442],
    shared: [
      ...[53, 452, 54, 55],
      ...[5, 6, 7, 14, 15, 16, 463, 466, 469],
      ...[118, 119, 122, 274, 140, 30, 238, 239],
      ...[194, 196, 195, 190, 193, 191, 192, 186, 189, 188, 187, 180, 181],
      ...[262, 27, 161, 162],
    ],
    fchmod: 52,
    utimensat: 88,
    truncate: 45,
    signals: [129, 130, 131, 138, 240, 424],
    prlimit: 261,
    fcntl: 25,
  },
}

/** AF_UNIX is 1, AF_INET 2, AF_INET6 10. */
const families = { none: [], inet: [2, 10], unix: [1, 2, 10] } as const
/** TIOCSTI types characters into the terminal, TIOCLINUX pastes into a console. */
const typing = [0x5412, 0x541c]
/** FS_IOC_SETFLAGS and FS_IOC_FSSETXATTR can make a file that nobody can remove. */
const marking = [0x40086602, 0x401c5820]
/** FIOSETOWN and SIOCSPGRP let the kernel signal another process, as F_SETOWN, F_SETSIG and F_SETOWN_EX of fcntl do. */
const owning = [0x8901, 0x8902]
const owners = [8, 10, 15]

const load = 0x20
const jumpIfEqual = 0x15
const jumpIfAtLeast = 0x35
const give = 0x06
const allow = 0x7fff0000
const notPermitted = 0x00050001
const killProcess = 0x80000000
/** Offsets in `struct seccomp_data`. Arguments are read by their low halves, because both architectures are little-endian. */
const at = { number: 0, audit: 4, first: 16, second: 24, secondHigh: 28 }

/**
 * Builds the filter for this machine's architecture; `undefined` if there is no table for it.
 * @param may `sockets`: the sockets that the program may make. `inet`, the default: internet sockets, which reach nothing in the sandbox's own
 * network namespace. `unix`: also UNIX sockets, which reach only sockets that are mounted into the sandbox. `none`: no sockets, for a program that
 * shares the host's network. `nests`: the program may make namespaces itself, as Chromium's sandbox does. `shares`: the program shares processes,
 * files and users with the host and is confined by Landlock of this ABI; calls that Landlock does not control are refused. `isRoot`: it runs as root
 * of the host or of a container
 */
export function seccompFilter(
  may: { sockets?: keyof typeof families; nests?: true; shares?: { abi: number; isRoot: boolean } } = {},
  arch: string = process.arch,
): Buffer | undefined {
  const machine = Object.hasOwn(machines, arch) ? machines[arch] : undefined
  if (machine === undefined) return undefined
  const { audit, socket, ioctl, x32, refused, namespaces, shared, fchmod, utimensat, prlimit, fcntl } = machine
  const abi = may.shares?.abi ?? Number.POSITIVE_INFINITY
  const asked = [...typing, ...(may.shares ? marking : []), ...(abi < 6 ? owning : [])]
  const allowed = families[may.sockets ?? 'inet']
  return assembled([
    [load, 0, 0, at.audit],
    [jumpIfEqual, 1, 0, audit],
    [give, 0, 0, killProcess],
    [load, 0, 0, at.number],
    ...(x32 === undefined ? [] : refusing(x32, jumpIfAtLeast)),
    ...[
      ...refused,
      ...(may.nests ? [] : namespaces),
      ...(may.shares ? shared : []),
      ...(may.shares?.isRoot ? [fchmod, utimensat] : []),
      ...(abi < 3 ? [machine.truncate] : []),
      ...(abi < 6 ? machine.signals : []),
    ].flatMap((number) => refusing(number)),
    // A null path means that the call works on an open file.
    ...(may.shares
      ? judging(utimensat, at.second, [isZero, refusal, [load, 0, 0, at.secondHigh], isZero, refusal])
      : []),
    // Process id 0 means the caller's own limits. Any other id is refused.
    ...(may.shares ? judging(prlimit, at.first, [isZero, refusal]) : []),
    ...(abi < 6
      ? judging(
          fcntl,
          at.second,
          owners.flatMap((value) => refusing(value)),
        )
      : []),
    // Skips the check of the socket family if this is another system call.
    [jumpIfEqual, 0, allowed.length + 3, socket],
    [load, 0, 0, at.first],
    ...allowed.map((family, index): Instruction => [jumpIfEqual, allowed.length - index, 0, family]),
    [give, 0, 0, notPermitted],
    [give, 0, 0, allow],
    [jumpIfEqual, 1, 0, ioctl],
    [give, 0, 0, allow],
    [load, 0, 0, at.second],
    ...asked.flatMap((request) => refusing(request)),
    [give, 0, 0, allow],
  ])
}

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number]

const refusal: Instruction = [give, 0, 0, notPermitted]
/** Skips the next instruction if the value is 0. */
const isZero: Instruction = [jumpIfEqual, 1, 0, 0]
const refusing = (value: number, compare = jumpIfEqual): Instruction[] => [[compare, 0, 1, value], refusal]

/**
 * Checks one system call by an argument, and allows the call if the rules let it pass. The call's number is loaded before these instructions, and
 * stays loaded for other calls.
 */
const judging = (number: number, argument: number, rules: readonly Instruction[]): Instruction[] => [
  [jumpIfEqual, 0, rules.length + 2, number],
  [load, 0, 0, argument],
  ...rules,
  [give, 0, 0, allow],
]

function assembled(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8)
  for (const [index, [code, ifTrue, ifFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8)
    bytes.writeUInt8(ifTrue, index * 8 + 2)
    bytes.writeUInt8(ifFalse, index * 8 + 3)
    bytes.writeUInt32LE(value, index * 8 + 4)
  }
  return bytes
}
