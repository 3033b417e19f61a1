import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { type Changes, withChanges, writeEnvFile } from './env-file.ts'

test.each<[string, string, Changes, string]>([
  ['an empty file', '', { A: '1' }, 'A=1\n'],
  ['a value in its place', 'A=1\nB=2\n', { A: '3' }, 'A=3\nB=2\n'],
  ['comments and other lines', '# mine\nB = "x y" # why\n\nA=1', { A: '2' }, '# mine\nB = "x y" # why\n\nA=2'],
  ['a line after its example', '# how\n#A=0\n# next\n#B=0\n', { A: '1' }, '# how\n#A=0\nA=1\n# next\n#B=0\n'],
  [
    'what the shell would read',
    '',
    { A: 'jarvis@pve!jarvis', B: 'a#b', C: "it's" },
    "A='jarvis@pve!jarvis'\nB='a#b'\nC=\"it's\"\n",
  ],
  ['one of several', 'A=1\nB=2\nA=3\n', { A: '4' }, 'A=4\nB=2\n'],
  ['what is taken out', 'A=1\nB=2\n', { A: undefined }, 'B=2\n'],
  ['an exported one', 'export A=1\n', { A: '2' }, 'A=2\n'],
  ['lines of another value', 'B="x\nA=1\ny"\n', { A: '2' }, 'B="x\nA=1\ny"\nA=2\n'],
  ['a name that ends like it', 'OLD_A=1\n#OLD_A=2\n', { A: '3' }, 'OLD_A=1\n#OLD_A=2\nA=3\n'],
  ['no end of line', 'B=1', { A: '2' }, 'B=1\nA=2\n'],
  ['what String.replace would expand', '#A=\n', { A: '$&$1' }, "#A=\nA='$&$1'\n"],
])('%s', (_what, text, changes, result) => {
  expect(withChanges(text, changes)).toBe(result)
  const wanted = Object.entries(changes).filter(([, value]) => value !== undefined)
  expect(parseEnv(result)).toMatchObject(Object.fromEntries(wanted))
})

test('a value that no line can hold is refused rather than written otherwise', () => {
  for (const value of ['a\nB=2', `'"\``, 'a\\n']) expect(() => withChanges('', { A: value })).toThrow(/cannot hold/)
})

test('the file is its owner’s alone afterwards, and a link to it stays a link', () => {
  const dir = mkdtempSync(join(tmpdir(), 'jarvis-env-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const [path, link] = [join(dir, 'real'), join(dir, '.env')]
  writeFileSync(path, 'B=2\n', { mode: 0o644 })
  symlinkSync(path, link)
  writeEnvFile(link, { A: '1' })
  expect(readFileSync(path, 'utf8')).toBe('B=2\nA=1\n')
  expect(statSync(path).mode & 0o777).toBe(0o600)
})
