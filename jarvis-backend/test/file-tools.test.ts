import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Card, noUsage, type ToolInput, type WorkbenchReply } from 'protocol'
import { expect, test } from 'vitest'
import type { Model } from '../src/agent/model.ts'
import { newId } from '../src/lib/ids.ts'
import { folder, rootFolder } from './support/data-dir.ts'
import { startJarvis } from './support/start-jarvis.ts'

const sha = (text: string) => createHash('sha256').update(text).digest('hex')

/** A model that makes one call for each message. */
const obeying = (wanted: () => { toolName: string; toolInput: ToolInput } | undefined): Model => ({
  id: 'scripted/model',
  async generate({ messages }) {
    const last = messages.at(-1)
    const call = wanted()
    return (last?.role === 'user' && last.results.length > 0) || call === undefined
      ? { content: [{ type: 'text', text: 'Noted.' }], stopReason: 'end_turn', usage: noUsage }
      : {
          content: [{ type: 'tool_call', toolUseId: newId('tu'), ...call }],
          stopReason: 'tool_use',
          usage: noUsage,
        }
  },
})

/** A JARVIS with the root `compose`, which may be changed, and `logs`, which may not. */
async function bench() {
  const dir = rootFolder()
  for (const name of ['compose', 'logs']) mkdirSync(join(dir, name))
  const dataDir = folder()
  const policy = join(dataDir, 'policy.yaml')
  const roots = `[{name: compose, path: ${join(dir, 'compose')}, write: true}, {name: logs, path: ${join(dir, 'logs')}}]`
  writeFileSync(policy, `workbench: {roots: ${roots}}\n`)
  let wanted: { toolName: string; toolInput: ToolInput } | undefined
  const jarvis = await startJarvis({ dataDir, model: obeying(() => wanted) })
  const screen = await jarvis.connect()
  let sessionId: string | undefined
  async function call(toolName: string, toolInput: ToolInput) {
    wanted = { toolName, toolInput }
    const sent = await screen.ask('chat:send', { message: 'Do it.', ...(sessionId !== undefined && { sessionId }) })
    sessionId = sent.sessionId
  }
  /** The newest result, or the refusal in its place. */
  const result = async () => {
    await screen.next('chat:done')
    const told = screen.received.findLast(({ event }) => event === 'chat:tool_result' || event === 'chat:blocked')
    const { isError = true, result: text, reason } = told?.payload ?? {}
    return { isError, result: String(text ?? reason) }
  }
  const decide = (card: Pick<Card, 'toolUseId'>, confirmed = true, more: object = {}) =>
    screen.ask('chat:confirm', { sessionId: sessionId ?? '', toolUseId: card.toolUseId, confirmed, ...more })
  return {
    jarvis,
    screen,
    dir,
    dataDir,
    policy,
    decide,
    result,
    session: () => sessionId ?? '',
    at: (path: string) => join(dir, path),
    put: (path: string, text: string | Buffer) => writeFileSync(join(dir, path), text),
    get: (path: string) => readFileSync(join(dir, path), 'utf8'),
    async does(name: string, input: ToolInput) {
      await call(name, input)
      return result()
    },
    async asks(name: string, input: ToolInput): Promise<Card> {
      await call(name, input)
      return screen.next('chat:confirm_needed')
    },
  }
}

test('a file in a root is read, edited after a card with its difference, and put back', async () => {
  const { put, get, at, does, asks, decide, result, jarvis, screen } = await bench()
  const before = 'services:\r\n  jellyfin:\r\n    image: jellyfin:10.9\r\n'
  put('compose/media.yml', before)
  const read = await does('read_file', { path: 'compose/media.yml' })
  expect(read.result).toContain(`hash ${sha(before).slice(0, 16)}, 4 lines, which end with CRLF`)
  expect(read.result).toContain('3     image: jellyfin:10.9')
  const hash = sha(before).slice(0, 16)
  const edits = [{ oldText: 'jellyfin:10.9', newText: 'jellyfin:10.10' }]
  const card = await asks('edit_file', { path: 'compose/media.yml', hash, edits })
  const after = before.replace('10.9', '10.10')
  expect(card).toMatchObject({
    rule: 'change_in_root',
    target: { kind: 'none', id: 'path/compose/media.yml' },
    deed: 'change the file as shown',
    then: '1 line comes, 1 goes',
    undo: {
      kind: 'call',
      sentence: '"compose/media.yml" holds again what it held before, if nothing else has changed it.',
    },
    diff: [
      {
        path: 'compose/media.yml',
        change: 'changed',
        old: sha(before),
        new: sha(after),
        added: 1,
        removed: 1,
        left: 0,
      },
    ],
  })
  expect(card.diff?.[0]?.lines).toEqual([
    '@@ -1,4 +1,4 @@',
    ...[' services:', '   jellyfin:', '-    image: jellyfin:10.9', '+    image: jellyfin:10.10', ' '],
  ])
  expect(card.basis).toEqual({ 'compose/media.yml': expect.stringContaining(`${sha(after)}`) })
  const whole = await (await jarvis.rest(`/api/workbench/diff/${card.toolUseId}`)).json()
  expect(whole).toEqual({ items: card.diff })
  await decide(card)
  expect(await result()).toMatchObject({ isError: false })
  expect(get('compose/media.yml')).toBe(after)
  expect(readdirSync(at('compose'))).toEqual(['media.yml'])

  const undo = await asks('undo', { change: card.toolUseId })
  expect(undo.diff?.[0]).toMatchObject({ old: sha(after), new: sha(before) })
  await decide(undo)
  expect(await result()).toMatchObject({ isError: false })
  expect(get('compose/media.yml')).toBe(before)
  const states = (await (await jarvis.rest('/api/changes')).json()) as { items: { state: string }[] }
  expect(states.items.map(({ state }) => state).sort()).toEqual(['made', 'undone'])
  expect(screen.names()).not.toContain('chat:error')
})

test('a file that moved while its card waited gets a new card, or none', async () => {
  const { put, get, asks, decide, result, does } = await bench()
  put('compose/a.txt', 'one\n')
  const hash = sha('one\n').slice(0, 16)
  const card = await asks('write_file', { path: 'compose/a.txt', hash, content: 'two\n' })
  put('compose/a.txt', 'mine\n')
  await decide(card).catch(() => {})
  expect(get('compose/a.txt')).toBe('mine\n')
  expect((await result()).isError).toBe(true)
  expect(get('compose/a.txt')).toBe('mine\n')

  const made = await asks('write_file', { path: 'compose/new/b.txt', content: 'b\n' })
  expect(made.diff?.map(({ path, change }) => `${change} ${path}`)).toEqual([
    'added compose/new',
    'added compose/new/b.txt',
  ])
  await decide(made, false)
  expect((await result()).isError).toBe(true)
  expect(() => get('compose/new/b.txt')).toThrow()
  expect((await does('undo', { change: card.toolUseId })).isError).toBe(true)
})

test('the session’s folder is written without a card, and everything else outside the roots is refused', async () => {
  const { does, put, at, dataDir, session, screen, jarvis, policy } = await bench()
  put('logs/app.log', 'ERROR one\nok\nerror two\n')
  put('logs/.env', 'TOKEN=abc')
  put('compose/pic.png', Buffer.from('\x89PNG\r\n\x1a\nrest', 'latin1'))
  put('compose/bin', Buffer.from([1, 0, 2]))
  symlinkSync(dataDir, at('compose/way'))
  const wrote = await does('write_file', { path: 'session/sub/notes.md', content: '# one\n' })
  expect(wrote).toMatchObject({ isError: false })
  const own = join(dataDir, 'workbench', session(), 'sub', 'notes.md')
  expect(readFileSync(own, 'utf8')).toBe('# one\n')
  expect(statSync(own).mode & 0o777).toBe(0o644)
  expect((await does('read_file', { path: 'compose/bin' })).result).toMatch(/3 B.*It is no text/)
  expect((await does('grep_files', { path: 'logs', pattern: 'error', ignoreCase: true })).result).toBe(
    '2 lines in 1 of 1 files.\nlogs/app.log:1: ERROR one\nlogs/app.log:3: error two',
  )
  expect((await does('glob_files', { path: 'compose', pattern: '**/*' })).result).toMatch(/^2 files of 2/)
  for (const [name, input] of [
    ['read_file', { path: '/etc/passwd' }],
    ['read_file', { path: 'compose/../../x' }],
    ['read_file', { path: 'logs/.env' }],
    ['read_file', { path: 'compose/way/policy.yaml' }],
    ['read_file', { path: join(dataDir, 'policy.yaml') }],
    ['write_file', { path: 'logs/new', content: 'x' }],
    ['write_file', { path: 'compose/.git/hooks/pre-commit', content: 'x' }],
    ['write_file', { path: 'session/sub/notes.md', content: 'again' }],
    ['edit_file', { path: 'session/sub/notes.md', hash: '0'.repeat(16), edits: [{ oldText: 'one', newText: 'two' }] }],
    ['restore_files', { files: [{ path: 'logs/app.log', now: 'none', then: 'none' }] }],
    ['restore_files', { files: [{ path: 'session/downloads', now: 'none', then: 'link:../..' }] }],
    ['restore_files', { files: [{ path: 'compose/media/x', now: 'none', then: 'link:../up/..' }] }],
    ['grep_files', { path: 'logs', pattern: '(' }],
  ] as const)
    expect((await does(name, input)).isError, `${name} ${JSON.stringify(input)}`).toBe(true)
  expect(screen.names()).not.toContain('chat:confirm_needed')
  const slow = await does('grep_files', { path: 'logs', pattern: '^(\\w|\\w\\w)*$!' })
  expect(slow.result).toMatch(/0 lines/)

  const reply = (await (await jarvis.rest('/api/workbench')).json()) as WorkbenchReply
  expect(reply.areas.find(({ name }) => name === 'files')).toMatchObject({ isOn: true, missing: [] })
  writeFileSync(policy, 'workbench: {}\n')
  await expect
    .poll(async () => ((await (await jarvis.rest('/api/workbench')).json()) as WorkbenchReply).roots)
    .toEqual([])
  const off = await does('read_file', { path: 'session/sub/notes.md' })
  expect(off.result).toMatch(/This part of the workbench is off.*roots:/)
})

test('going back a message lists the files of roots, and puts them back by undos in the branch, each with its card', async () => {
  const { put, get, does, asks, decide, result, jarvis, screen, session } = await bench()
  put('compose/a.yml', 'one\n')
  await does('read_file', { path: 'compose/a.yml' })
  const edit = (from: string, to: string) => ({
    path: 'compose/a.yml',
    hash: sha(from).slice(0, 16),
    edits: [{ oldText: from.trim(), newText: to.trim() }],
  })
  await decide(await asks('edit_file', edit('one\n', 'two\n')))
  await result()
  const second = screen.received.findLast(({ event }) => event === 'chat:user')?.payload.seq ?? 0
  await decide(await asks('edit_file', edit('two\n', 'three\n')))
  await result()
  const detail = (await (await jarvis.rest(`/api/sessions/${session()}/checkpoints/${second}`)).json()) as object
  const row = {
    path: 'compose/a.yml',
    writes: 1,
    goesBack: true,
    because: expect.stringContaining('An undo in the new session'),
  }
  expect(detail).toMatchObject({ files: [row, row], notUndone: [] })
  const json = { before: second, restoreFiles: true }
  const branch = await jarvis.rest(`/api/sessions/${session()}/branch`, { method: 'POST', json })
  const { id, restored } = (await branch.json()) as { id: string; restored: object[] }
  expect(restored).toMatchObject([row, row])
  const watching = await jarvis.connect()
  const { snapshot } = await watching.ask('chat:attach', { sessionId: id as never })
  for (const text of ['two\n', 'one\n']) {
    const card = (snapshot.pending[0] as Card | undefined) ?? (await watching.next('chat:confirm_needed'))
    snapshot.pending.length = 0
    await watching.ask('chat:confirm', { sessionId: id as never, toolUseId: card.toolUseId, confirmed: true })
    await watching.next('chat:done')
    expect(get('compose/a.yml')).toBe(text)
  }
})
