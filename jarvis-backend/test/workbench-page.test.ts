import { spawn } from 'node:child_process'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { JournalEntry, Page, ToolInfo, WorkbenchPreview, WorkbenchReply, WorkbenchSection } from 'protocol'
import { expect, test } from 'vitest'
import { jarvisHere } from './support/command-here.ts'
import { jarvis as cli, folder, openJournal, rootFolder } from './support/data-dir.ts'
import { program } from './support/program.ts'
import { startJarvis, type TestJarvis } from './support/start-jarvis.ts'

const off: WorkbenchSection = { exec: false, web: { private: [] }, browser: false, git: false, egress: [] }
const read = async (jarvis: TestJarvis) => (await (await jarvis.rest('/api/workbench')).json()) as WorkbenchReply
const put = (jarvis: TestJarvis, section: WorkbenchSection, hash: string) =>
  jarvis.rest('/api/workbench', { method: 'PUT', json: { section, hash } })
const preview = (jarvis: TestJarvis, section: WorkbenchSection, hash: string) =>
  jarvis.rest('/api/workbench/preview', { method: 'POST', json: { section, hash } })
const problemOf = async (response: Response) => {
  const { error } = (await response.json()) as { error?: { code: string; message: string } }
  return error === undefined ? `${response.status}` : `${error.code}: ${error.message}`
}
const offered = async (jarvis: TestJarvis) => {
  const { items } = (await (await jarvis.rest('/api/tools')).json()) as { items: ToolInfo[] }
  return items.map(({ name }) => name)
}
const records = async (jarvis: TestJarvis) => {
  const { items } = (await (await jarvis.rest('/api/journal?kind=policy')).json()) as Page<JournalEntry>
  return items.map(({ body }) => body as Record<string, unknown>)
}

test('the page turns areas on and off: shown first, in force at once, journalled once, with everything else in the file as it was', async () => {
  const [dataDir, dir] = [folder(), rootFolder()]
  const policy = join(dataDir, 'policy.yaml')
  const mine = '# mine\nprotected: [vm/101]   # the family’s photos\n'
  writeFileSync(policy, mine)
  const jarvis = await startJarvis({ dataDir })
  const first = await read(jarvis)
  expect(first).toMatchObject({ section: off, hash: expect.stringMatching(/^[\da-f]{64}$/) })
  expect(first.areas.every(({ allows }) => allows.endsWith('.'))).toBe(true)
  expect(await offered(jarvis)).not.toContain('read_file')

  const wanted = { ...off, roots: [{ name: 'compose', path: dir, write: true }], git: true }
  const shown = (await (await preview(jarvis, wanted, first.hash)).json()) as WorkbenchPreview
  expect(shown).toMatchObject({ turnsOn: ['files', 'git'], turnsOff: [], diff: [{ path: 'policy.yaml', removed: 0 }] })
  expect(shown.diff[0]?.lines.filter((line) => line.startsWith('+'))).toEqual([
    '+',
    '+workbench:',
    '+  roots:',
    `+    - { name: compose, path: ${dir}, write: true }`,
    '+  git: true',
  ])
  expect(readFileSync(policy, 'utf8')).toBe(mine)

  const saved = (await (await put(jarvis, wanted, first.hash)).json()) as WorkbenchReply
  expect(saved.areas.filter(({ isOn }) => isOn).map(({ name }) => name)).toEqual(['files', 'git'])
  expect(saved).toMatchObject({ section: wanted, roots: [{ name: 'compose', path: dir, write: true }] })
  expect(await offered(jarvis)).toContain('read_file')
  expect(readFileSync(policy, 'utf8').startsWith(mine)).toBe(true)
  expect(await problemOf(await put(jarvis, off, first.hash))).toMatch(/^conflict: .*changed meanwhile/)

  const gone = (await (await put(jarvis, off, saved.hash)).json()) as WorkbenchReply
  expect(gone).toMatchObject({ section: off, roots: [] })
  expect(await offered(jarvis)).not.toContain('read_file')
  const [last, before] = (await records(jarvis)).filter(({ change }) => change !== 'profile')
  expect(last).toMatchObject({ change: 'workbench', from: { git: true }, hash: gone.hash, before: saved.hash })
  expect(before).toMatchObject({ change: 'workbench', to: { roots: wanted.roots, git: true }, before: first.hash })
  expect((await records(jarvis)).filter(({ change }) => change === 'file')).toHaveLength(1)

  // Two saves saw the same version of the file: one is refused.
  const both = await Promise.all([true, false].map((exec) => put(jarvis, { ...off, exec, browser: !exec }, gone.hash)))
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
  // The command beside a running server.
  const said = await cli(dataDir, 'workbench', 'on', 'docker', '--socket', '/run/user/1000/docker.sock')
  expect(said).toMatchObject({ code: 0, output: expect.stringContaining('+  docker: /run/user/1000/docker.sock') })
  expect((await records(jarvis))[0]).toMatchObject({ change: 'workbench', by: 'cli' })
})

test('what must not become a root, and a file that cannot be changed, is refused with the reason, and nothing is written', async () => {
  const [dataDir, dir] = [rootFolder(), rootFolder()]
  const policy = join(dataDir, 'policy.yaml')
  for (const name of ['sub', 'secrets']) mkdirSync(join(dir, name))
  writeFileSync(join(dir, 'file'), '')
  symlinkSync(dataDir, join(dir, 'data'))
  symlinkSync('/', join(dir, 'all'))
  symlinkSync('/proc', join(dir, 'kernel'))
  const jarvis = await startJarvis({ dataDir })
  const { hash } = await read(jarvis)
  expect(hash).toBe('')
  const root = (path: string, name = 'a') => ({ ...off, roots: [{ name, path, write: true }] })
  const rows: [WorkbenchSection, string][] = [
    [root(dataDir), 'is JARVIS’s own'],
    [root(join(dataDir, 'none')), 'is not there'],
    [root(join(dataDir, 'journal')), 'is JARVIS’s own'],
    [root(join(dir, 'data')), 'is JARVIS’s own'],
    [root('/'), 'is the whole machine'],
    [root(join(dir, 'all')), 'is the whole machine'],
    [root('/proc/self'), 'is in /proc'],
    [root(join(dir, 'kernel')), 'is in /proc'],
    [root(join(dir, 'none')), 'is not there'],
    [root(join(dir, 'file')), 'is no folder'],
    [root(join(dir, 'secrets')), 'may hold secrets'],
    [root(`${dir}/sub/..`), 'must not hold'],
    [root(`${dir}\nexec: true`), 'an absolute path'],
    [root(dir, 'a: {'), 'a short name'],
    [root(dir, 'session'), 'is the name of each session'],
    [{ ...off, egress: ['nas.lan'] }, 'HOST:PORT'],
  ]
  for (const [section, words] of rows) {
    const said = [await problemOf(await preview(jarvis, section, '')), await problemOf(await put(jarvis, section, ''))]
    for (const one of said) expect(one).toContain(words)
  }
  expect(readdirSync(dataDir)).not.toContain('policy.yaml')
  expect(await problemOf(await put(jarvis, { ...off, shell: true } as never, ''))).toContain('invalid_request')

  writeFileSync(policy, 'tiers: {stop_vm: green}\n')
  const broken = await read(jarvis)
  expect(broken.problem).toContain('policy.yaml:1:9  tiers.stop_vm cannot be green')
  expect(await problemOf(await put(jarvis, root(dir), broken.hash))).toMatch(/^conflict: .*Mend the file by hand first/)
  writeFileSync(policy, Buffer.from('# caf\xe9\n', 'latin1'))
  expect((await read(jarvis)).problem).toContain('not UTF-8')
})

test('a link in place of policy.yaml stays a link, and one that leads nowhere is left alone', async () => {
  const [dataDir, dir] = [folder(), rootFolder()]
  const [policy, real] = [join(dataDir, 'policy.yaml'), join(dir, 'mine.yaml')]
  symlinkSync(real, policy)
  expect((await jarvisHere(dataDir, 'workbench', 'on', 'exec')).output).toContain('leads nowhere')
  writeFileSync(real, '# mine\n')
  chmodSync(real, 0o640)
  expect((await jarvisHere(dataDir, 'workbench', 'root', 'add', 'sub', dir, '--write')).code).toBe(0)
  expect([lstatSync(policy).isSymbolicLink(), statSync(real).mode & 0o777]).toEqual([true, 0o640])
  expect(readFileSync(real, 'utf8')).toBe(
    `# mine\n\nworkbench:\n  roots:\n    - { name: sub, path: ${dir}, write: true }\n`,
  )
  expect((await jarvisHere(dataDir, 'workbench', 'root', 'remove', 'other')).output).toBe('There is no root other.')
  expect((await jarvisHere(dataDir, 'workbench', 'on', 'shell')).code).toBe(2)
})

test('after kill -9 at any step the file is the old one or the new one, and the journal says which', async () => {
  const [dataDir, to] = [folder(), folder()]
  const old = '# mine\nworkbench:\n  git: false # no\n'
  writeFileSync(join(dataDir, 'policy.yaml'), old)
  const steps = fileURLToPath(new URL('./support/fs-steps.mjs', import.meta.url))
  const child = spawn(process.execPath, ['--import', steps, ...program('cli'), 'workbench', 'on', 'exec'], {
    env: {
      PATH: process.env.PATH,
      JARVIS_DATA_DIR: dataDir,
      STEPS_OF: dataDir,
      STEPS_TO: to,
      JARVIS_PASSWORD: 'correct-horse-battery',
      JWT_SECRET: 'test-secret-of-more-than-32-characters',
    },
  })
  expect(await new Promise((resolve) => child.on('close', resolve))).toBe(0)
  const texts = readdirSync(to).map((copy) => readFileSync(join(to, copy, 'policy.yaml'), 'utf8'))
  expect(texts.length).toBeGreaterThan(3)
  expect([...new Set([...texts, readFileSync(join(dataDir, 'policy.yaml'), 'utf8')])]).toEqual([
    old,
    `${old}  exec: true\n`,
  ])
  const kept = openJournal(dataDir)
  const rows = kept.database.sql.prepare("SELECT body FROM journal WHERE kind = 'policy'").pluck().all()
  expect(rows.map(String).join()).toContain('"change":"workbench"')
  await kept.close()
})
