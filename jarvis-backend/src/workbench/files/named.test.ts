import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { emptyTree, type Named, namedFiles } from './named.ts'
import type { RootAt } from './walk.ts'

const home = mkdtempSync(join(tmpdir(), 'named-'))
afterAll(() => rmSync(home, { recursive: true }))

function lab(files: Record<string, string>) {
  const dir = mkdtempSync(join(home, 'root-'))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(dir, path, '..'), { recursive: true })
    writeFileSync(join(dir, path), text)
  }
  const root: RootAt = { name: 'session', path: dir, write: true, own: [] }
  const look = (command: string, isWhole = true, folder = ''): Named =>
    namedFiles(root, { folder, command, isWhole, isClosed: (path) => path.endsWith('.env') })
  return { dir, look }
}
const pathsOf = ({ files }: Named) => files.map(({ path }) => path)

const files = {
  'run.pl': 'do "lib/part.pl"',
  'lib/part.pl': 'print 1',
  'my file.sh': 'echo',
  'sub/job.sh': '. ./more.sh',
  'sub/more.sh': 'echo',
  'data.csv': 'a',
  '.env': 'TOKEN=x',
}
test.each([
  ['perl run.pl', ['run.pl', 'lib/part.pl']],
  ['perl -- "./run.pl"|tee out', ['run.pl', 'lib/part.pl']],
  ["p'e'rl r\\un.p'l'", ['run.pl', 'lib/part.pl']],
  ['exec /work/lib/part.pl', ['lib/part.pl']],
  ['cat<data.csv>new', ['data.csv']],
  ['X=data.csv sh', ['data.csv']],
  ['cd sub && ./job.sh', ['sub/job.sh', 'sub/more.sh']],
  ['sh sub/job.sh', ['sub/job.sh', 'sub/more.sh']],
  ['cd lib; cat ../data.csv', ['data.csv']],
  ['sh *.sh', ['my file.sh', 'sub/job.sh', 'sub/more.sh']],
  ['cat .env ../x /etc/passwd none', []],
])('%s names %j', (command, paths) => {
  expect(pathsOf(lab(files).look(command)).sort()).toEqual(paths.sort())
})

test.each<[string, (dir: string) => void, boolean]>([
  ['other bytes of a file that is named', (dir) => writeFileSync(join(dir, 'run.pl'), 'exit'), true],
  ['another mode of it', (dir) => chmodSync(join(dir, 'run.pl'), 0o700), true],
  ['a link in its place', (dir) => execFileSync('ln', ['-sf', 'data.csv', 'run.pl'], { cwd: dir }), true],
  ['other bytes of a file that nothing names', (dir) => writeFileSync(join(dir, 'data.csv'), 'b'), false],
  ['a file that comes', (dir) => writeFileSync(join(dir, 'sub/new'), ''), false],
  ['a file that goes', (dir) => rmSync(join(dir, 'data.csv')), false],
])('%s is seen', (_what, change, isNamed) => {
  const { dir, look } = lab(files)
  const marksOf = (named: Named) => named.files.map(({ path, mark }) => `${path} ${mark}`)
  const before = look('perl run.pl')
  expect(look('perl run.pl')).toEqual({ ...before, others: expect.any(Function) })
  change(dir)
  const after = look('perl run.pl')
  expect(after.tree).not.toBe(before.tree)
  expect(String(marksOf(after)) !== String(marksOf(before))).toBe(isNamed)
})

test('a root tells of what is named alone, from the folder of the command on', () => {
  const { look } = lab(files)
  expect(look('sh job.sh', false, 'sub')).toMatchObject({
    files: [{ path: 'job.sh' }, { path: 'more.sh' }],
    isCut: false,
  })
  expect(look('sh job.sh', false, 'sub').tree).toBeUndefined()
  expect(lab({}).look('ls').tree).toBe(emptyTree)
})

const tree = {
  'run.py': 'import helper, json\nfrom pkg.deep import thing\nimport lib.part as part',
  'helper.py': '1',
  'pkg/__init__.py': '1',
  'pkg/deep.py': '1',
  'lib/part.py': '1',
  'lib/other.py': '1',
  'app.js': "require('./conf'); require('./mod')",
  'conf.json': '{}',
  'mod/index.js': '1',
  'run.pl': 'use Lib::Part;',
  'Lib/Part.pm': '1',
  Makefile: 'all:\n\tsh build.sh',
  'build.sh': 'true',
  'compose.yaml': 'x',
  'two.sh': 'true',
  'notes.md': 'helper',
}
test.each([
  ['python3 run.py', ['run.py', 'helper.py', 'pkg/__init__.py', 'pkg/deep.py', 'lib/part.py']],
  ['python3 -m lib.part', ['lib/part.py']],
  ['node app.js', ['app.js', 'conf.json', 'mod/index.js']],
  ['perl run.pl', ['run.pl', 'Lib/Part.pm']],
  ['make', ['Makefile', 'build.sh']],
  ['docker compose config', ['compose.yaml']],
  ['cat *.sh', ['build.sh', 'two.sh']],
  ['cat notes.md', ['notes.md', 'helper.py']],
  ['echo parts', []],
])('of a root, %s names what it loads without saying its whole name: %j', (command, paths) => {
  for (const isWhole of [false, true]) expect(pathsOf(lab(tree).look(command, isWhole)).sort()).toEqual(paths.sort())
})

test('a folder of a root that a command names is bound with all that it holds, and one that a script names is not', () => {
  const { dir, look } = lab(tree)
  const treeOf = (command: string) => look(command, false).tree
  const [before, of] = [treeOf('tar c lib'), treeOf('python3 run.py')]
  expect([before, of]).toEqual([expect.any(String), undefined])
  writeFileSync(join(dir, 'two.sh'), 'false')
  expect(treeOf('tar c lib')).toBe(before)
  writeFileSync(join(dir, 'lib/other.py'), '2')
  expect(treeOf('tar c lib')).not.toBe(before)
  for (let at = 0; at < 5_001; at += 1) writeFileSync(join(dir, `lib/${at}`), '')
  expect(look('tar c lib', false)).toMatchObject({ isCut: true })
  expect(treeOf('tar c lib')).toBeUndefined()
})

test('more names than are looked at are said to be more, in little time', () => {
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`f${at}`, '']))
  const { look } = lab(many)
  expect(look('cat f*')).toMatchObject({ isCut: true, files: { length: 20 } })
  const words = Array.from({ length: 3_000 }, (_, at) => `w${at}`).join(' ')
  expect(look(words)).toMatchObject({ isCut: true, files: [] })
  expect(look(words, false)).toMatchObject({ isCut: true, files: [] })
})

test('a folder of over 5,000 entries is bound by what is named alone, and says so', () => {
  const many = Object.fromEntries(Array.from({ length: 5_001 }, (_, at) => [`many/${at}`, '']))
  const { look } = lab({ ...many, 'run.sh': 'true' })
  expect(look('sh run.sh')).toMatchObject({ files: [{ path: 'run.sh' }], isTooMuch: true })
  expect(look('sh run.sh').tree).toBeUndefined()
  expect(look('sh run.sh', false).isTooMuch).toBeUndefined()
  expect(lab({ 'run.sh': 'true' }).look('sh run.sh').isTooMuch).toBeUndefined()
})
