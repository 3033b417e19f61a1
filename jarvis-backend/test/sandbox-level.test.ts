import { execFile } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { systemClock } from 'node-kit/clock'
import { belowOf } from 'sandbox/below'
import { landlockAbi, startUnderLandlock } from 'sandbox/landlock'
import { descendants } from 'sandbox/process-tree'
import { rehearse } from 'sandbox/rehearse'
import { surveyOf } from 'sandbox/survey'
import { taskGroup } from 'sandbox/task-group'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import type { Bench } from '../src/workbench/areas/area.ts'
import { composeGit } from '../src/workbench/areas/git.ts'
import { createSandbox, unboundedWords } from '../src/workbench/sandbox/level.ts'

const dir = mkdtempSync(join(tmpdir(), 'jarvis-level-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

/** A stub that fails as bubblewrap does. */
function stub(says: string): string {
  const path = join(dir, `stub-${says.length}`)
  writeFileSync(path, `#!/bin/sh\necho "${says}" >&2\nexit 1\n`)
  chmodSync(path, 0o755)
  return path
}

test.each([
  ['bwrap: setting up uid map: Permission denied', /AppArmor/],
  ['bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted', /AppArmor/],
  ['bwrap: No permissions to create new namespace, likely because the kernel does not allow it', /seccomp profile/],
  ["bwrap: Can't mount proc on /newroot/proc: Operation not permitted", /systempaths/],
  ['bwrap: pivot_root: Permission denied', /nesting=1/],
  ['bwrap: Creating new namespace failed: Operation not permitted', /ordinary user/],
  ['bwrap: Unknown option --disable-userns', /0\.8/],
  ['bwrap: execvp /usr/bin/prlimit: No such file or directory', /util-linux/],
  ['bwrap: something nobody has seen', /doctor/],
])('where bubblewrap says %s, no command runs and the remedy is known', async (says, remedy) => {
  const sandbox = createSandbox(systemClock, { bwrap: stub(says) }, () => Promise.resolve(0))
  const verdict = await sandbox.tryAgain()
  expect(verdict).toMatchObject({ level: 'none', said: says, remedy: expect.stringMatching(remedy) as string })
})

test('without bubblewrap, the remedy is to install it', async () => {
  const sandbox = createSandbox(systemClock, { bwrap: join(dir, 'bwrap') }, () => Promise.resolve(0))
  expect(await sandbox.tryAgain()).toMatchObject({ level: 'none', remedy: 'Install it: apt install bubblewrap.' })
})

test('where the kernel has Landlock, that is the second level', async () => {
  const refused = stub('bwrap: pivot_root: Permission denied')
  const sandbox = createSandbox(systemClock, { bwrap: refused }, () => Promise.resolve(6))
  expect(await sandbox.tryAgain()).toMatchObject({
    level: 'landlock',
    abi: 6,
    said: 'bwrap: pivot_root: Permission denied',
  })
  expect(await landlockAbi(join(dir, 'no-perl'))).toBe(0)
})

test('Git, which has no second level, says that it lacks the first, and its tools are refused with what mends it', async () => {
  const refused = stub('bwrap: No permissions to create new namespace, likely because the kernel does not allow it')
  const area = composeGit({ clock: systemClock } as Bench, { bwrap: refused })
  expect(area.missing()).toEqual([])
  await area.look?.()
  expect(area.missing()).toEqual([
    {
      what: 'a full sandbox for Git (this container refuses new namespaces, as Docker’s default profile does)',
      remedy: expect.stringMatching(/seccomp profile/),
    },
  ])
})

/** Output and changes of a command at the second level. */
async function confined(command: string, timeoutMs = 10_000, known = abi) {
  const [folder, layers] = [mkdtempSync(join(dir, 'folder-')), mkdtempSync(join(dir, 'layers-'))]
  writeFileSync(join(folder, 'a'), 'one\n')
  const survey = surveyOf(folder, () => false)
  if (survey === undefined) throw new Error('The folder is too large.')
  const running = await rehearse(
    'cmd_1',
    { folder, command, below: belowOf(folder), survey, timeoutMs, confined: { level: 'landlock', abi: known } },
    { clock: systemClock, dir: layers, keep: () => undefined, discard: () => undefined, hasRoom: () => true },
  )
  const end = await running.ended
  if (end.kind !== 'ended') throw new Error(end.said)
  return { ...end, said: running.output.text() }
}

const abi = await landlockAbi()
// Without it there is nothing to try: Linux before 5.13, or a kernel that leaves it out.
const onLandlock = test.skipIf(abi === 0)

/** Each version of Landlock is tried as if the kernel had no newer one. */
const versions = [1, 2, 3, 4, 5, 6, 7].filter((version) => version <= abi)
onLandlock.each(versions)('at the second level, version %i, a command works on its copy', async (version) => {
  const command = 'echo two > a; mkdir b && echo x > b/c; mktemp > /dev/null && cat a; echo end'
  const { exitCode, effect, said, way, isAlone } = await confined(command, 10_000, version)
  expect([exitCode, way, said, isAlone]).toEqual([0, 'copy', 'two\nend\n', true])
  expect(effect).toMatchObject({ changes: [{ path: 'a' }, { path: 'b' }, { path: 'b/c' }], refused: [] })
})

/** A common word is in the command lines of other programs of a machine. */
const survivorName = `survivor-${process.pid}`
/** Leaves its parents, waits until its command is gone, and goes on writing. */
const survivor = `use POSIX; $0 = "${survivorName}"; if (!fork) { POSIX::setsid(); if (!fork) {
  $SIG{$_} = 'IGNORE' for 'TERM', 'HUP', 'INT';
  close STDOUT; close STDERR;
  for (1 .. 5000) { open F, ">$0-$_"; select undef, undef, undef, 0.001 } } exit } wait; print "gone\\n"`

onLandlock.each(versions)(
  'at the second level, version %i, what leaves its command is ended before anything is read',
  async (version) => {
    const { effect, said, isAlone } = await confined(`perl -e '${survivor}'`, 10_000, version)
    expect([said, isAlone]).toEqual(['gone\n', true])
    const left = running(survivorName)
    expect({ left, refused: effect.refused }).toEqual({ left: [], refused: [] })
  },
)

onLandlock('at the second level a swarm that forks without end is ended with its command', async () => {
  const swarm = "perl -e 'for (;;) { exit if fork }' & sleep 0.2"
  expect(await confined(swarm)).toMatchObject({ isAlone: true })
})

const reaches: [what: string, command: string][] = [
  ['chmod', 'chmod 777 PATH'],
  ['chmod of what it may read', 'chmod 000 /usr/bin/true'],
  ['chown', 'chown 65534 PATH'],
  ['touch', 'touch -c -d 2001-01-01 PATH'],
  ['truncate', 'perl -e \'truncate "PATH", 0 or die $!\''],
  ['setfattr', 'perl -e \'syscall(188, my $a = "PATH", my $b = "user.x", my $c = "x", 1, 0) == 0 or die $!\''],
  ['a link to it', 'ln PATH mine'],
  ['its place', 'mv PATH mine'],
  ['a swap', 'perl -e \'syscall(316, -100, my $a = "PATH", -100, my $b = "a", 2) == 0 or die $!\''],
  ['a signal', 'kill -CONT PID'],
  ['its limits', 'prlimit --pid PID --nofile=64'],
  ['its priority', 'renice 19 -p PID'],
]
/** JARVIS is no root where it is installed, and root is above some of what holds there. */
const own = process.getuid?.() ?? 0
const ordinary = own === 0 ? 65_534 : own
/** True if every user may pass through all folders of a path. */
const isOpen = (path: string): boolean => (statSync(path).mode & 0o001) !== 0 && (path === '/' || isOpen(dirname(path)))
const isStartable = own !== 0 || [import.meta.dirname, dirname(process.execPath), '/tmp'].every(isOpen)
const onLandlockAs = isStartable ? onLandlock : test.skip
onLandlockAs(
  'at the second level of an ordinary user nothing survives, and that user’s own files are not reached',
  async () => {
    // Not in the folder of the tests, which is root's own where it is in memory.
    const home = mkdtempSync(join(own === 0 ? '/tmp' : dir, 'jarvis-home-'))
    onTestFinished(() => rmSync(home, { recursive: true }))
    const theirs = join(home, 'theirs')
    writeFileSync(theirs, 'theirs', { mode: 0o600 })
    const before = statSync(theirs)
    chmodSync(home, 0o755)
    if (own === 0) for (const path of [home, theirs]) chownSync(path, ordinary, ordinary)
    const filled = reaches.map(
      ([what, command]) =>
        `(${command.replaceAll('PATH', theirs).replaceAll('PID', '$PPID')}) && echo "reached by ${what}"`,
    )
    const swap = `perl -e 'mkdir "d"; symlink "${home}", "l"; for (1 .. 2000) { syscall(316, -100, my $d = "d", -100, my $l = "l", 2) } unlink "l", "d"; rmdir "l"; rmdir "d"'`
    const script = join(import.meta.dirname, 'support/second-level-alone.ts')
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--import', 'tsx', script, [...filled, swap, `perl -e '${survivor}'`, 'echo ended'].join('\n')],
      {
        ...(own === 0 && { uid: ordinary, gid: ordinary }),
        env: { PATH: process.env.PATH, HOME: home, TMPDIR: home },
        cwd: join(import.meta.dirname, '..'),
      },
    )
    const end = JSON.parse(stdout) as { said: string }
    expect(end).toMatchObject({ uid: ordinary, exitCode: 0, isAlone: true, effect: { refused: [] } })
    expect(end.said).toMatch(/gone\nended\n$/)
    expect(end.said).not.toContain('reached by')
    expect(running(survivorName)).toEqual([])
    const { mode, size, mtimeMs, nlink } = statSync(theirs)
    expect({ mode, size, mtimeMs, nlink }).toEqual({
      mode: before.mode,
      size: before.size,
      mtimeMs: before.mtimeMs,
      nlink: 1,
    })
  },
)

/** The command lines of processes that name a word. */
const running = (word: string) =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
        return line.includes(word) && Number(pid) !== process.pid ? [line] : []
      } catch {
        return []
      }
    })

onLandlock('at the second level, another’s file or process is not reached', async () => {
  const path = join(dir, 'theirs')
  writeFileSync(path, 'theirs', { mode: 0o600 })
  const before = statSync(path)
  const filled = reaches.map(([what, command]) => {
    const text = command.replaceAll('PATH', path).replaceAll('PID', String(process.pid))
    return `(${text}) && echo "reached by ${what}"`
  })
  for (const version of versions) {
    const { said } = await confined(`test -e a && echo begun\n${filled.join('\n')}\necho ended`, 10_000, version)
    expect(said, `version ${version}`).toMatch(/^begun\n[\s\S]*ended\n$/)
    expect(said, `version ${version}`).not.toContain('reached by')
  }
  const { mode, uid, size, mtimeMs, nlink } = statSync(path)
  expect({ mode, uid, size, mtimeMs, nlink }).toEqual({
    mode: before.mode,
    uid: before.uid,
    size: before.size,
    mtimeMs: before.mtimeMs,
    nlink: 1,
  })
})

onLandlock.each([
  ['other files', `cat ${join(dir, 'outside')}`],
  ['accounts', 'cat /etc/passwd'],
  ['homes', 'ls / && ls /home /root'],
  ['a file beside its folder', 'echo x > ../x'],
  ['another’s environment', `cat /proc/${process.pid}/environ`],
  ['the list of processes', 'ls /proc'],
  ['a socket', 'exec 3<>/dev/tcp/127.0.0.1/PORT'],
  [
    'Docker’s socket',
    `perl -e 'use Socket; socket(S, PF_UNIX, SOCK_STREAM, 0) or die; connect(S, sockaddr_un("SOCKET")) or die; print <S>'`,
  ],
  ['a device', 'mknod d b 8 0'],
  ['a mount', 'mount -t tmpfs t .'],
  ['a namespace', 'unshare -U true'],
  ['rights of root', 'su -c true || sudo -n true'],
])('at the second level a command does not reach %s', async (_what, command) => {
  writeFileSync(join(dir, 'outside'), 'planted')
  const [server, docker] = [0, join(dir, 'docker.sock')].map((place) =>
    createServer((socket) => socket.end('planted')).listen(place),
  ) as [Server, Server]
  await Promise.all([server, docker].map((one) => one.listening || once(one, 'listening')))
  const { port } = server.address() as AddressInfo
  const filled = command.replace('PORT', String(port)).replace('SOCKET', join(dir, 'docker.sock'))
  const { exitCode, said } = await confined(`test -e a || exit 0; ${filled}`)
  for (const one of [server, docker]) one.close()
  expect(said).not.toContain('planted')
  expect(exitCode, said).not.toBe(0)
})

onLandlock('at the second level a command is ended with its children at its time', async () => {
  expect(await confined('sleep 4731 & trap "" TERM; sleep 4731; sleep 4731', 300)).toMatchObject({
    exitCode: 137,
    why: 'time',
  })
})

test('before a try nothing is said to work', () => {
  expect(createSandbox(systemClock).verdict()).toMatchObject({ level: 'none' })
})

onLandlock(
  'a command of the second level is in the group that bounds root’s processes, where there is one, and people are told where there is none',
  async () => {
    const own = mkdtempSync(join(dir, 'group-'))
    mkdirSync(join(own, 'merged'))
    const started = startUnderLandlock(
      { dir: own, merged: join(own, 'merged') } as Parameters<typeof startUnderLandlock>[0],
      ['/bin/sh', '-c', 'echo "$PATH" && cat'],
      { abi, hasStdin: true },
    )
    const [said] = (await once(started.stdout, 'data')) as [Buffer]
    expect(said.toString()).toBe('/usr/bin:/usr/sbin\n')
    const groups = descendants(process.pid)
      .flatMap((pid) => {
        try {
          return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(own)
            ? [readFileSync(`/proc/${pid}/cgroup`, 'utf8')]
            : []
        } catch {
          return []
        }
      })
      .map((group) => group.includes('jarvis-commands'))
    expect(groups.length).toBeGreaterThan(0)
    expect([...new Set(groups)]).toEqual([taskGroup().kind === 'group'])
    started.stdin?.end()
    expect(await started.ended).toEqual({ kind: 'ended', exitCode: 0, isAlone: true })
    expect(unboundedWords({ kind: 'none' })).toEqual([expect.stringContaining('ordinary user')])
    expect(unboundedWords({ kind: 'unneeded' })).toEqual([])
  },
)
