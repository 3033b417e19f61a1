import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { systemClock } from '../src/lib/clock.ts'
import { belowOf } from '../src/workbench/sandbox/below.ts'
import { knowsLandlock } from '../src/workbench/sandbox/landlock.ts'
import { createSandbox } from '../src/workbench/sandbox/level.ts'
import { rehearse } from '../src/workbench/sandbox/rehearse.ts'
import { surveyOf } from '../src/workbench/sandbox/survey.ts'

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
  const sandbox = createSandbox(systemClock, { bwrap: stub(says) }, () => Promise.resolve(false))
  const verdict = await sandbox.tryAgain()
  expect(verdict).toMatchObject({ level: 'none', said: says, remedy: expect.stringMatching(remedy) as string })
})

test('without bubblewrap, the remedy is to install it', async () => {
  const sandbox = createSandbox(systemClock, { bwrap: join(dir, 'bwrap') }, () => Promise.resolve(false))
  expect(await sandbox.tryAgain()).toMatchObject({ level: 'none', remedy: 'Install it: apt install bubblewrap.' })
})

test('where the kernel has Landlock, that is the second level', async () => {
  const refused = stub('bwrap: pivot_root: Permission denied')
  const sandbox = createSandbox(systemClock, { bwrap: refused }, () => Promise.resolve(true))
  expect(await sandbox.tryAgain()).toMatchObject({ level: 'landlock', said: 'bwrap: pivot_root: Permission denied' })
  expect(await knowsLandlock(join(dir, 'no-perl'))).toBe(false)
})

/** What a command at the second level says, and what it changed. */
async function confined(command: string, timeoutMs = 10_000) {
  const [folder, layers] = [mkdtempSync(join(dir, 'folder-')), mkdtempSync(join(dir, 'layers-'))]
  writeFileSync(join(folder, 'a'), 'one\n')
  const survey = surveyOf(folder, () => false)
  if (survey === undefined) throw new Error('The folder is too large.')
  const running = await rehearse(
    'cmd_1',
    { folder, command, below: belowOf(folder), survey, timeoutMs, level: 'landlock' },
    { clock: systemClock, dir: layers, keep: () => undefined, discard: () => undefined },
  )
  const end = await running.ended
  if (end.kind !== 'ended') throw new Error(end.said)
  return { ...end, said: running.output.text() }
}

const hasLandlock = await knowsLandlock()
// Without it there is nothing to try: Linux before 5.13, or a kernel that leaves it out.
const onLandlock = test.skipIf(!hasLandlock)

onLandlock('at the second level a command works on its copy', async () => {
  const { exitCode, effect, said, way } = await confined('sed -i s/one/two/ a; mktemp > /dev/null && cat a; echo end')
  expect([exitCode, way, said]).toEqual([0, 'copy', 'two\nend\n'])
  expect(effect.changes.map(({ path }) => path)).toEqual(['a'])
})

onLandlock.each([
  ['other files', `cat ${join(dir, 'outside')}`],
  ['accounts', 'cat /etc/passwd'],
  ['homes', 'ls / && ls /home /root'],
  ['a file beside its folder', 'echo x > ../x'],
  ['another’s environment', `cat /proc/${process.pid}/environ`],
  ['the list of processes', 'ls /proc'],
  ['a socket', 'exec 3<>/dev/tcp/127.0.0.1/PORT'],
  ['a device', 'mknod d b 8 0'],
  ['a mount', 'mount -t tmpfs t .'],
  ['a namespace', 'unshare -U true'],
  ['rights of root', 'su -c true || sudo -n true'],
])('at the second level a command does not reach %s', async (_what, command) => {
  writeFileSync(join(dir, 'outside'), 'planted')
  const server = createServer((socket) => socket.end('planted')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { exitCode, said } = await confined(command.replace('PORT', String((server.address() as AddressInfo).port)))
  server.close()
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
