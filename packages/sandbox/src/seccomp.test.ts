import { expect, test } from 'vitest'
import { seccompFilter } from './seccomp.ts'

const audits = { x64: 0xc000003e, arm64: 0xc00000b7 }
type Arch = keyof typeof audits
const allow = 0x7fff0000
const notPermitted = 0x00050001
const killProcess = 0x80000000

/** Runs a filter as the kernel does. Fails for a jump over its end. */
function judge(filter: Buffer, call: { nr: number; audit: number; args?: readonly number[] }): number {
  const data = Buffer.alloc(64)
  data.writeUInt32LE(call.nr, 0)
  data.writeUInt32LE(call.audit, 4)
  for (const [index, value] of (call.args ?? []).entries()) data.writeBigUInt64LE(BigInt(value), 16 + index * 8)
  let held = 0
  for (let at = 0; at < filter.length; at += 8) {
    const [code, jt, jf] = [filter.readUInt16LE(at), filter.readUInt8(at + 2), filter.readUInt8(at + 3)]
    const value = filter.readUInt32LE(at + 4)
    if (code === 0x20) held = data.readUInt32LE(value)
    else if (code === 0x06) return value
    else if (code === 0x15) at += 8 * (held === value ? jt : jf)
    else if (code === 0x35) at += 8 * (held >= value ? jt : jf)
    else throw new Error(`There is no instruction ${code}.`)
  }
  throw new Error('The filter ends without an answer.')
}

const rows: [what: string, verdict: number, nrs: Record<Arch, number>, args?: number[]][] = [
  ['read', allow, { x64: 0, arm64: 63 }],
  ['execve', allow, { x64: 59, arm64: 221 }],
  ['socketpair', allow, { x64: 53, arm64: 199 }],
  ['a UNIX socket', notPermitted, { x64: 41, arm64: 198 }, [1]],
  ['an IPv4 socket', allow, { x64: 41, arm64: 198 }, [2]],
  ['an IPv6 socket', allow, { x64: 41, arm64: 198 }, [10]],
  ['a netlink socket', notPermitted, { x64: 41, arm64: 198 }, [16]],
  ['a packet socket', notPermitted, { x64: 41, arm64: 198 }, [17]],
  ['a socket of the hypervisor', notPermitted, { x64: 41, arm64: 198 }, [40]],
  ['a UNIX socket, with bits that the kernel drops', notPermitted, { x64: 41, arm64: 198 }, [0x1_0000_0001]],
  ['io_uring_setup', notPermitted, { x64: 425, arm64: 425 }],
  ['ptrace', notPermitted, { x64: 101, arm64: 117 }],
  ['keyctl', notPermitted, { x64: 250, arm64: 219 }],
  ['bpf', notPermitted, { x64: 321, arm64: 280 }],
  ['userfaultfd', notPermitted, { x64: 323, arm64: 282 }],
  ['unshare', notPermitted, { x64: 272, arm64: 97 }],
  ['mount', notPermitted, { x64: 165, arm64: 40 }],
  ['a window size', allow, { x64: 16, arm64: 29 }, [0, 0x5413]],
  ['TIOCSTI', notPermitted, { x64: 16, arm64: 29 }, [0, 0x5412]],
  ['TIOCLINUX', notPermitted, { x64: 16, arm64: 29 }, [0, 0x541c]],
  ['TIOCSTI, with bits that the kernel drops', notPermitted, { x64: 16, arm64: 29 }, [0, 0x1_0000_5412]],
]

for (const arch of ['x64', 'arm64'] as const) {
  test.each(rows)(`on ${arch}: %s`, (_what, verdict, nrs, args = []) => {
    const filter = seccompFilter({}, arch) ?? Buffer.alloc(0)
    expect(judge(filter, { nr: nrs[arch], audit: audits[arch], args })).toBe(verdict)
  })

  test(`on ${arch}, another architecture’s calls end the program`, () => {
    const other = audits[arch === 'x64' ? 'arm64' : 'x64']
    expect(judge(seccompFilter({}, arch) ?? Buffer.alloc(0), { nr: 0, audit: other })).toBe(killProcess)
  })

  test(`on ${arch}, the kinds of sockets are what was asked for`, () => {
    const nr = arch === 'x64' ? 41 : 198
    const may = (sockets: 'none' | 'inet' | 'unix', family: number) =>
      judge(seccompFilter({ sockets }, arch) ?? Buffer.alloc(0), { nr, audit: audits[arch], args: [family] }) === allow
    expect([1, 2, 10, 16].map((family) => may('none', family))).toEqual([false, false, false, false])
    expect([1, 2, 10, 16].map((family) => may('unix', family))).toEqual([true, true, true, false])
  })

  test(`on ${arch}, only a program that nests may make namespaces`, () => {
    const call = { nr: arch === 'x64' ? 272 : 97, audit: audits[arch] }
    expect(judge(seccompFilter({ nests: true }, arch) ?? Buffer.alloc(0), call)).toBe(allow)
  })
}

/** Refused to whoever shares this machine, allowed in namespaces: x64 and arm64. */
const shared: [what: string, x64: number, arm64: number, args?: number[]][] = [
  ['fchmodat', 268, 53],
  ['fchmodat2', 452, 452],
  ['fchownat', 260, 54],
  ['fchown', 93, 55],
  // An address whose lower half is zero.
  ['utimensat by a name', 280, 88, [4, 0x7f00_0000_0000]],
  ['fsetxattr', 190, 7],
  ['the limits of another process', 302, 261, [4711]],
  ['the priority of another process', 141, 140],
  ['shared memory', 29, 194],
  ['a watch of a folder', 254, 27],
  ['a file that cannot be removed', 16, 29, [3, 0x40086602]],
]
/** Refused if Landlock is older than this version. */
const since: [what: string, abi: number, x64: number, arm64: number, args?: number[]][] = [
  ['truncate', 3, 76, 45],
  ['kill', 6, 62, 129],
  ['tgkill', 6, 234, 131],
  ['pidfd_send_signal', 6, 424, 424],
  ['F_SETOWN', 6, 72, 25, [0, 8]],
  ['F_SETSIG', 6, 72, 25, [0, 10]],
  ['FIOSETOWN', 6, 16, 29, [0, 0x8901]],
]
for (const arch of ['x64', 'arm64'] as const) {
  const verdict = (may: Parameters<typeof seccompFilter>[0], nr: number, args: number[] = []) =>
    judge(seccompFilter(may, arch) ?? Buffer.alloc(0), { nr, audit: audits[arch], args })
  const shares = (abi: number, isRoot = false) => ({ sockets: 'none', shares: { abi, isRoot } }) as const

  test.each(shared)(
    `on ${arch}, %s is refused where the machine is shared, and nowhere else`,
    (_what, x64, arm64, args) => {
      const nr = arch === 'x64' ? x64 : arm64
      for (const abi of [1, 3, 7]) expect(verdict(shares(abi), nr, args)).toBe(notPermitted)
      expect(verdict({}, nr, args)).toBe(allow)
    },
  )

  test.each(since)(
    `on ${arch}, %s is refused before version %i of Landlock, which judges it`,
    (_what, abi, x64, arm64, args) => {
      const nr = arch === 'x64' ? x64 : arm64
      expect([abi - 1, abi].map((known) => verdict(shares(known), nr, args))).toEqual([notPermitted, allow])
    },
  )

  test(`on ${arch}, an ordinary user may change an open file’s mode and dates, and root may not`, () => {
    const [fchmod, utimensat] = arch === 'x64' ? [91, 280] : [52, 88]
    const both = (isRoot: boolean) => [
      verdict(shares(7, isRoot), fchmod),
      verdict(shares(7, isRoot), utimensat, [3, 0]),
    ]
    expect([both(false), both(true)]).toEqual([
      [allow, allow],
      [notPermitted, notPermitted],
    ])
  })

  test(`on ${arch}, a program may always limit itself, and read and write its files`, () => {
    const own = arch === 'x64' ? [302, 72, 0, 1, 257] : [261, 25, 63, 64, 56]
    expect(own.map((nr) => verdict(shares(1), nr, [0, 1]))).toEqual(own.map(() => allow))
  })
}

test('x32 numbers are refused', () => {
  expect(judge(seccompFilter({}, 'x64') ?? Buffer.alloc(0), { nr: 0x40000000, audit: audits.x64 })).toBe(notPermitted)
})

test('an architecture without a table has no filter', () => {
  expect(seccompFilter({}, 'riscv64')).toBeUndefined()
  expect(seccompFilter({}, 'constructor')).toBeUndefined()
})
