import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from 'node-kit/clock'
import { describe, expect, onTestFinished } from 'vitest'
import { testWith } from '../../../../scripts/test-with.js'
import { createGit } from './git.ts'

const git = createGit(systemClock)
const { signal } = new AbortController()
const author = { name: 'JARVIS', email: 'jarvis@localhost' }

/** A repository with one commit and a changed file. @returns its folder, and git outside of the sandbox */
function repository() {
  const folder = mkdtempSync(join(tmpdir(), 'jarvis-git-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const bare = (...args: string[]) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=Ann', '-c', 'user.email=ann@lan', ...args], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  bare('init', '-q', '-b', 'main')
  writeFileSync(join(folder, 'compose.yml'), 'image: a:1\n')
  bare('add', '.')
  bare('commit', '-q', '-m', 'First')
  writeFileSync(join(folder, 'compose.yml'), 'image: a:2\n')
  return { folder, bare }
}

describe('in the sandbox', () => {
  const test = testWith('bubblewrap', 'git')

  test('reads status, history and difference, and writes nothing', async () => {
    const { folder } = repository()
    const before = readdirSync(join(folder, '.git'))
    const text = async (...args: string[]) => (await git.run(folder, args, { signal })).text
    expect(await text('status', '--porcelain')).toBe(' M compose.yml\n')
    expect(await text('log', '--format=%an %s')).toBe('Ann First\n')
    expect(await text('diff', '--no-ext-diff', '--no-textconv')).toContain('-image: a:1\n+image: a:2\n')
    const refused = await git.run(folder, ['add', 'compose.yml'], { signal })
    expect([refused.exitCode, refused.said]).toEqual([128, expect.stringContaining('Read-only file system')])
    expect(readdirSync(join(folder, '.git'))).toEqual(before)
  })

  test('commits as JARVIS, without a hook and without the machine’s own settings', async () => {
    const { folder, bare } = repository()
    const options = { isWritable: true, author } as const
    expect((await git.run(folder, ['add', '--', 'compose.yml'], { signal, ...options })).exitCode).toBe(0)
    const done = await git.run(folder, ['commit', '-q', '-m', 'Second', '--only', '--', 'compose.yml'], {
      signal,
      ...options,
    })
    expect(done).toMatchObject({ exitCode: 0, said: '' })
    expect(bare('log', '--format=%an %s')).toBe('JARVIS Second\nAnn First\n')
  })

  test('runs no program that a repository names, though it could write', async () => {
    const { folder, bare } = repository()
    const program = join(folder, '.git', 'x.sh')
    // It is started by its path inside, and leaves a mark.
    writeFileSync(program, '#!/bin/sh\ntouch "/work/RAN-$1"\ncat\n')
    chmodSync(program, 0o755)
    const runs = (name: string) => `/work/.git/x.sh ${name}`
    const named: [string, string][] = [
      ...['core.fsmonitor', 'core.pager', 'core.editor', 'core.sshCommand', 'core.gitProxy', 'core.askPass'].map(
        (key): [string, string] => [key, runs(key)],
      ),
      ...['diff.external', 'diff.evil.textconv', 'diff.evil.command', 'gpg.program', 'credential.helper'].map(
        (key): [string, string] => [key, runs(key)],
      ),
      ...['clean', 'smudge', 'process'].map((of): [string, string] => [
        `filter.a "b\nc.${of}`.replace('\n', ' '),
        runs(`filter-${of}`),
      ]),
      ...['status', 'log', 'diff', 'commit'].map((name): [string, string] => [`alias.${name}`, `!${runs('alias')}`]),
      ['pager.log', runs('pager')],
      ['commit.gpgSign', 'true'],
      ['log.showSignature', 'true'],
      ['core.hooksPath', '/work/.git/evil-hooks'],
    ]
    for (const [key, value] of named) bare('config', key, value)
    mkdirSync(join(folder, '.git', 'evil-hooks'))
    for (const folderOf of ['evil-hooks', 'hooks'])
      for (const hook of [
        'pre-commit',
        'post-commit',
        'post-checkout',
        'commit-msg',
        'prepare-commit-msg',
        'post-index-change',
        'reference-transaction',
      ]) {
        const path = join(folder, '.git', folderOf, hook)
        writeFileSync(path, `#!/bin/sh\ntouch /work/RAN-${hook}\n`)
        chmodSync(path, 0o755)
      }
    // A drive’s name may hold spaces and quotes, and still is disarmed.
    writeFileSync(join(folder, '.gitattributes'), '* diff=evil filter=a\n')
    bare('config', 'filter.a.clean', runs('filter-clean'))
    bare('config', 'filter.a.smudge', runs('filter-smudge'))
    bare('config', 'filter.a.required', 'true')

    expect((await git.filters(folder, signal)).toSorted()).toEqual(['a', 'a "b c'])
    const options = { isWritable: true, author } as const
    const acts = [
      ['status', '--porcelain'],
      ['log', '-2'],
      ['diff', '--no-ext-diff', '--no-textconv'],
      ['show', '--no-ext-diff', '--no-textconv'],
      ['add', '--', 'compose.yml', '.gitattributes'],
      ['commit', '-q', '-m', 'x'],
      ['switch', '-c', 'other'],
      ['switch', 'main'],
    ]
    for (const act of acts)
      expect([act, (await git.run(folder, act, { signal, ...options })).exitCode]).toEqual([act, 0])
    expect(readdirSync(folder).filter((name) => name.startsWith('RAN'))).toEqual([])
  })

  test('runs no program that a submodule names, and reads nothing in it', async () => {
    const { folder, bare } = repository()
    const other = repository()
    bare('-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', other.folder, 'sub')
    bare('commit', '-q', '-m', 'Add sub')
    const inSub = (...args: string[]) => bare('-C', join(folder, 'sub'), ...args)
    const program = join(folder, '.git', 'x.sh')
    writeFileSync(program, '#!/bin/sh\ntouch "/work/RAN-$1"\ncat\n')
    chmodSync(program, 0o755)
    for (const key of [
      'filter.evil.clean',
      'filter.evil.process',
      'core.fsmonitor',
      'diff.external',
      'diff.evil.command',
    ])
      inSub('config', key, `/work/.git/x.sh ${key}`)
    writeFileSync(join(folder, 'sub', '.gitattributes'), '* filter=evil diff=evil\n')
    writeFileSync(join(folder, 'sub', 'compose.yml'), 'image: PLANTED\n')
    writeFileSync(join(folder, 'sub', '.env'), 'PLANTED=1\n')
    bare('config', 'diff.submodule', 'diff')
    bare('config', 'status.submoduleSummary', 'true')
    bare('config', '-f', '.gitmodules', 'submodule.sub.ignore', 'none')
    bare('config', 'submodule.sub.ignore', 'none')
    const options = { isWritable: true, author } as const
    const said: string[] = []
    for (const act of [
      ['status', '--short'],
      ['diff', 'HEAD', '--no-ext-diff', '--no-textconv'],
      ['show', 'HEAD', '--no-ext-diff', '--no-textconv'],
      ['add', '--', 'compose.yml', 'sub'],
      ['commit', '-q', '-m', 'x', '--only', '--', 'compose.yml'],
      ['switch', '-c', 'other'],
    ])
      said.push((await git.run(folder, act, { signal, ...options })).text)
    expect(readdirSync(folder).filter((name) => name.startsWith('RAN'))).toEqual([])
    expect(said.join('\n')).not.toContain('PLANTED')
  })

  test.each(['ext::sh -c "touch /work/RAN"', 'file:///work/.git', 'ssh://example.org/a', 'git://example.org/a'])(
    'fetches nothing from %s',
    async (url) => {
      const { folder, bare } = repository()
      bare('remote', 'add', 'origin', url)
      const done = await git.run(folder, ['fetch', 'origin'], { signal, isWritable: true })
      expect([done.exitCode, done.said]).toEqual([128, expect.stringMatching(/transport '\w+' not allowed/)])
      expect(existsSync(join(folder, 'RAN'))).toBe(false)
    },
  )
})
