import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from 'node-kit/clock'
import { belowOf } from 'sandbox/below'
import { type MostOfTree, mostOfTree } from 'sandbox/held-tree'
import { type Rehearsal, type Rehearsed, rehearse, type Way } from 'sandbox/rehearse'
import { surveyOf } from 'sandbox/survey'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { testWith } from '../../scripts/test-with.js'
import { endWords } from '../src/workbench/sandbox/command.ts'
import { failingRows } from './support/failing-rows.ts'
import { every } from './support/real-time.ts'

const dir = mkdtempSync(join(tmpdir(), 'jarvis-rehearse-'))
const folder = join(dir, 'compose')
const layers = join(dir, 'layers')
const kept = new Map<string, string>()
let runs = 0
afterAll(() => rmSync(dir, { recursive: true, force: true }))

/** The files that a command finds. */
function fill(place: string) {
  for (const path of ['.git', 'media/old']) mkdirSync(join(place, path), { recursive: true })
  const files = { 'jellyfin.yml': 'image: 10.9\n', '.env': 'PASSWORD=planted\n', '.git/config': '[core]\n' }
  const more = { 'media/a': 'a', 'media/b': 'b', 'media/old/c': 'c' }
  for (const [path, text] of Object.entries({ ...files, ...more })) writeFileSync(join(place, path), text)
  symlinkSync('media/a', join(place, 'link'))
}
beforeEach(() => {
  rmSync(folder, { recursive: true, force: true })
  kept.clear()
  fill(folder)
})

const snapshot = () =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => {
      const path = join(entry.parentPath, entry.name)
      return `${path} ${lstatSync(path).mode} ${entry.isFile() ? readFileSync(path, 'utf8') : ''}`
    })
    .sort()

async function rehearsed(
  command: string,
  way: Way,
  pinned?: Rehearsal['pinned'],
  most?: MostOfTree,
): Promise<Extract<Rehearsed, { kind: 'ended' }> & { said: string }> {
  const survey = surveyOf(folder, (path) => path.endsWith('/.env'))
  if (survey === undefined) throw new Error('The folder is too large.')
  const parts = {
    clock: systemClock,
    dir: layers,
    discard: (path: string) => rmSync(path, { recursive: true }),
    hasRoom: () => true,
    keep: (bytes: Buffer) => void kept.set(createHash('sha256').update(bytes).digest('hex'), bytes.toString()),
    ...(most && { most }),
  }
  const asked = { folder, command, pinned, below: belowOf(folder), survey: { ...survey, hasForeign: way === 'copy' } }
  runs += 1
  const rehearsal = await rehearse(`run-${runs}`, { ...asked, confined: { level: 'full' }, timeoutMs: 18_000 }, parts)
  const end = await rehearsal.ended
  if (end.kind !== 'ended') throw new Error(`The sandbox did not start: ${end.said}`)
  return { ...end, said: rehearsal.output.text() }
}

type Changes = Extract<Rehearsed, { kind: 'ended' }>['effect']['changes']
/** One word for each change: `+` added, `-` removed, `~` changed, `m` mode alone. */
const words = (changes: Changes) =>
  changes.map(({ path, old, new: now }) => {
    if (old.kind === 'none') return `+${path}${now.kind === 'folder' ? '/' : now.kind === 'link' ? '@' : ''}`
    if (now.kind === 'none') return `-${path}${old.kind === 'folder' ? '/' : ''}`
    return old.kind === 'file' && now.kind === 'file' && old.hash === now.hash ? `m${path}` : `~${path}`
  })

/**
 * Rehearses commands one after another in one sandbox, each in a folder of its own that holds the same.
 * @returns what each said, how it ended, and what it would change there
 */
async function rehearsedEach(commands: readonly string[], way: Way) {
  rmSync(folder, { recursive: true })
  for (const at of commands.keys()) fill(join(folder, String(at)))
  const before = snapshot()
  const parts = commands.map((command, at) => `(\ncd ${at}\n${command}\n) 2>&1\nprintf '@@%d\\n' $?`)
  const end = await rehearsed(parts.join('\n'), way)
  expect(end).toMatchObject({ exitCode: 0, way, effect: { refused: [] } })
  expect(snapshot()).toEqual(before)
  expect(readdirSync(layers)).toEqual([])
  const said = end.said.split(/@@(\d+)\n/)
  return commands.map((_, at) => ({
    said: said[2 * at],
    exit: Number(said[2 * at + 1]),
    changes: end.effect.changes.flatMap((change) =>
      change.path.startsWith(`${at}/`) ? [{ ...change, path: change.path.slice(`${at}/`.length) }] : [],
    ),
  }))
}

const effects: [what: string, command: string, changes: string[]][] = [
  ['nothing', 'true', []],
  ['a read', 'cat jellyfin.yml', []],
  ['a write of the same bytes', 'printf "image: 10.9\\n" > jellyfin.yml', []],
  ['a touched file', 'touch jellyfin.yml', []],
  ['a changed file', 'sed -i s/10.9/10.10/ jellyfin.yml', ['~jellyfin.yml']],
  [
    'a file whose size and time stay',
    'touch -r jellyfin.yml /tmp/r; printf "image: 11.0\\n" > jellyfin.yml; touch -r /tmp/r jellyfin.yml',
    ['~jellyfin.yml'],
  ],
  ['a new file', 'echo x > new', ['+new']],
  ['a new file in a new folder', 'mkdir -p x/y; echo x > x/y/z', ['+x/', '+x/y/', '+x/y/z']],
  ['a removed file', 'rm jellyfin.yml', ['-jellyfin.yml']],
  ['a removed folder', 'rm -r media', ['-media/', '-media/a', '-media/b', '-media/old/', '-media/old/c']],
  [
    'a folder that is made anew',
    'rm -r media; mkdir media; echo b > media/b',
    ['-media/a', '~media/b', '-media/old/', '-media/old/c'],
  ],
  ['a renamed file', 'mv jellyfin.yml j.yml', ['+j.yml', '-jellyfin.yml']],
  [
    'a renamed folder',
    'mv media m',
    ['+m/', '+m/a', '+m/b', '+m/old/', '+m/old/c', '-media/', '-media/a', '-media/b', '-media/old/', '-media/old/c'],
  ],
  ['a mode', 'chmod 600 jellyfin.yml', ['mjellyfin.yml']],
  ['a file that nobody may read', 'echo x > new; chmod 000 new', ['+new']],
  ['a folder that nobody may enter', 'mkdir -p x; echo x > x/y; chmod 000 x', ['+x/', '+x/y']],
  ['a link within', 'ln -s jellyfin.yml l; ln -s ../jellyfin.yml media/l', ['+l@', '+media/l@']],
  ['a link that leads elsewhere within', 'ln -sfn media/b link', ['~link']],
  [
    'a file in place of a folder',
    'rm -r media; echo x > media',
    ['~media', '-media/a', '-media/b', '-media/old/', '-media/old/c'],
  ],
  ['a folder in place of a file', 'rm jellyfin.yml; mkdir jellyfin.yml', ['~jellyfin.yml']],
  ['a file that came and went', 'echo x > new; rm new', []],
  [
    'names with spaces, line ends and signs',
    "touch 'a b' $'c\\nd' 'e,f:g\\h' -- -i",
    ['+-i', '+a b', '+c\nd', '+e,f:g\\h'],
  ],
  ['a write past an end by seek', 'truncate -s 5000 jellyfin.yml', ['~jellyfin.yml']],
  ['a copy, for which an owner is kept', 'cp -a media m2', ['+m2/', '+m2/a', '+m2/b', '+m2/old/', '+m2/old/c']],
  [
    'an archive',
    'tar cf - media | (mkdir t && cd t && tar xf -)',
    ['+t/', '+t/media/', '+t/media/a', '+t/media/b', '+t/media/old/', '+t/media/old/c'],
  ],
]

for (const way of ['overlay', 'copy'] as const) {
  testWith('bubblewrap')(`by ${way}, what commands would change is known, and the folder stays as it is`, async () => {
    const ends = await rehearsedEach(
      effects.map(([, command]) => command),
      way,
    )
    const judge = (row: (typeof effects)[number]) => {
      const { said, exit, changes } = ends[effects.indexOf(row)] ?? expect.fail('It did not run.')
      expect([exit, said?.replace(/^image.*\n/, '')]).toEqual([0, ''])
      expect(words(changes)).toEqual(row[2])
      for (const { new: now } of changes)
        if (now.kind === 'file' && !words(changes).some((word) => word.startsWith('m')))
          expect(kept.has(now.hash)).toBe(true)
    }
    expect(await failingRows(effects, judge)).toEqual([])
  })
}

const refusals: [what: string, command: string, because: RegExp][] = [
  ['an absolute link', 'ln -s /etc x', /leads out/],
  ['an absolute link that leads back in', 'ln -s /work/jellyfin.yml x', /leads out/],
  ['a link up', 'ln -s .. x', /leads out/],
  ['a link up and back', 'ln -s ../compose/jellyfin.yml x', /leads out/],
  ['a pipe', 'mkfifo x', /pipe/],
  ['a socket', 'python3 -c "import socket,os; os.mknod(\'x\', 0o140600)"', /socket/],
  ['a program with another’s rights', 'cp /usr/bin/true x; chmod u+s x', /rights/],
  ['a program with a group’s rights', 'cp /usr/bin/true x; chmod g+s x', /rights/],
  ['a new repository', 'mkdir -p y/.git/hooks; echo x > y/.git/hooks/post-checkout', /\.git may only be read/],
  ['too many files', 'for i in $(seq 501); do : > f$i; done', /more than 500/],
  ['too many bytes', 'head -c 51M /dev/zero > x', /more than 50 MB/],
  ['folders too deep', 'for i in $(seq 120); do mkdir nested-folder; cd nested-folder; done', /more than 100 folders/],
  ['a name that is no text', "touch $'\\xff'", /is no text/],
]
for (const way of ['overlay', 'copy'] as const) {
  testWith('bubblewrap').each(refusals)(
    `by ${way}, a command that makes %s has an effect that nobody may apply`,
    async (_what, command, because) => {
      const { effect, said } = await rehearsed(command, way)
      expect(effect.refused, said).toEqual([expect.stringMatching(because)])
    },
  )

  testWith('bubblewrap')(
    `by ${way}, a command reads the bytes that were shown, whatever the folder holds`,
    async () => {
      const shown = (path: string, text: string) =>
        ({ path, bytes: Buffer.from(text), mode: 0o644, changedAt: new Date(0) }) as const
      const pinned = [shown('jellyfin.yml', 'shown\n'), shown('media/old/c', 'c'), shown('gone/x', 'x')]
      const { said, effect } = await rehearsed(
        'cat jellyfin.yml gone/x; ls media/old media; stat -c %Y media/old/c',
        way,
        pinned,
      )
      expect(said).toBe('shown\nxmedia:\na\nb\nold\n\nmedia/old:\nc\n0\n')
      // It read other bytes than the folder holds, so those count as its own.
      expect(effect.changes.map(({ path }) => path)).toEqual(['gone', 'gone/x', 'jellyfin.yml'])
    },
  )

  testWith('bubblewrap')(`by ${way}, what is in .git may only be read, and a secret not even that`, async () => {
    const { said, effect } = await rehearsed(
      'cat .git/config; echo x >> .git/config; rm -rf .git; cat .env; echo x > .env; ls -A',
      way,
    )
    expect(said).toContain('[core]')
    expect(said).not.toContain('planted')
    expect(effect).toEqual({ changes: [], refused: [] })
  })
}

testWith('bubblewrap')('a file that something else changed meanwhile is not taken for the command’s', async () => {
  const path = join(folder, 'jellyfin.yml')
  const running = rehearsed(
    'while [ ! -e /tmp/x ]; do sleep 0.1; touch /tmp/x; done; echo mine >> jellyfin.yml',
    'overlay',
  )
  // A change within the moment of the start has the time of the start.
  const stop = every(10, () => writeFileSync(path, 'another’s\n'))
  const { effect } = await running.finally(stop)
  expect(effect.refused).toEqual([expect.stringMatching(/changed by something else/)])
})

testWith('bubblewrap')('a folder swapped for a link is not followed', () => {
  rmSync(join(folder, 'media'), { recursive: true })
  symlinkSync('/etc', join(folder, 'media'))
  expect(belowOf(folder).entry('media/passwd')).toEqual({ kind: 'none' })
  expect(belowOf(folder).names('media')).toEqual([])
})

test('a look through a folder finds secrets and repositories, and stops at 20,000 entries', () => {
  expect(surveyOf(folder, (path) => path.endsWith('/.env'))).toMatchObject({
    repositories: ['.git'],
    secrets: [{ path: '.env', isFolder: false }],
  })
  const large = join(folder, 'large')
  mkdirSync(large)
  chmodSync(large, 0o700)
  // Names of one file: 20,001 folders take ten seconds to make and remove.
  writeFileSync(join(large, '0'), '')
  for (let index = 1; index < 20_001; index += 1) linkSync(join(large, '0'), join(large, String(index)))
  expect(surveyOf(folder, () => false)).toBeUndefined()
  expect(existsSync(large)).toBe(true)
})

testWith('bubblewrap')('a command that writes without end is ended, and its effect is not read', async () => {
  const flood = "perl -e 'for (1 .. 900) { open F, qq(>$_) } sleep 30'"
  const nested = 'for i in $(seq 120); do mkdir d; cd d; done; sleep 30'
  const most = { ...mostOfTree, entries: 400 }
  for (const [command, limits, because] of [
    [flood, most, /more than 400 files/],
    [nested, undefined, /more than 100 folders/],
  ] as const)
    expect(await rehearsed(command, 'overlay', undefined, limits), command).toMatchObject({
      why: 'layer',
      effect: { changes: [], refused: [expect.stringMatching(because) as string] },
    })
  // A person is told the default limits.
  const { entries, depth } = mostOfTree
  expect(endWords({ why: 'layer', exitCode: 137 })).toContain(
    `${entries.toLocaleString('en')} files or ${depth} folders`,
  )
})
