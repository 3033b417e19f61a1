import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { systemClock } from '../src/lib/clock.ts'
import { landlockArgv } from '../src/workbench/sandbox/landlock.ts'
import { createSandbox } from '../src/workbench/sandbox/level.ts'

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

test('where setpriv knows Landlock, that is the second level', async () => {
  const refused = stub('bwrap: pivot_root: Permission denied')
  const sandbox = createSandbox(systemClock, { bwrap: refused }, () => Promise.resolve(true))
  expect(await sandbox.tryAgain()).toMatchObject({ level: 'landlock', said: 'bwrap: pivot_root: Permission denied' })
})

test('the second level confines to one folder, and its program comes last', () => {
  const argv = landlockArgv('/data/work', '/data/filter.bpf', ['/bin/sh', '-c', 'true'])
  expect(argv).toContain('--no-new-privs')
  expect(argv.filter((arg) => /write-file/.test(arg) && !arg.endsWith(':/dev/null'))).toEqual([
    expect.stringMatching(/:\/data\/work$/),
  ])
  expect(argv.slice(-4)).toEqual(['--', '/bin/sh', '-c', 'true'])
})

test('before a try nothing is said to work', () => {
  expect(createSandbox(systemClock).verdict()).toMatchObject({ level: 'none' })
})
