import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { ConfigError, readConfig } from '../src/config/config.ts'
import { sealedOrMade } from '../src/config/sealed-file.ts'
import { boxOf } from '../src/config/sealing.ts'
import { loadEnv } from '../src/config/settings-file.ts'
import { DatabaseRefused, openDatabase } from '../src/store/sqlite/database.ts'

function folder() {
  const dir = mkdtempSync(join(tmpdir(), 'jarvis-start-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

test('nothing needs to be set', () => {
  expect(readConfig({})).toMatchObject({
    port: 4000,
    host: '127.0.0.1',
    model: { provider: 'demo' },
    historyLimit: 20,
    maxTurns: 10,
    confirmTtlMs: 900_000,
    ssh: { user: 'root', knownHostsPath: join(homedir(), '.ssh/known_hosts') },
    wolTarget: { address: '255.255.255.255', port: 9 },
    isTerminalOn: false,
  })
  expect(readConfig({ PORT: ' ', OPENAI_API_KEY: '' })).toMatchObject({ port: 4000, model: { provider: 'demo' } })
})

test.each([
  [
    'the key of Claude',
    { ANTHROPIC_API_KEY: 'sk-ant-x' },
    { provider: 'anthropic', apiKey: 'sk-ant-x', maxTokens: 4096 },
  ],
  ['both keys', { ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'b' }, { provider: 'anthropic' }],
  [
    'a base URL alone',
    { OPENAI_BASE_URL: 'http://127.0.0.1:1/v1', OPENAI_MODEL: 'qwen' },
    { provider: 'openai', model: 'qwen' },
  ],
  [
    'an explicit choice',
    { JARVIS_MODEL: 'openai/some/model', OPENAI_API_KEY: 'b', ANTHROPIC_API_KEY: 'a' },
    { provider: 'openai', model: 'some/model' },
  ],
  ['demo in spite of a key', { JARVIS_MODEL: 'demo', ANTHROPIC_API_KEY: 'a' }, { provider: 'demo' }],
])('%s chooses the model', (_what, env, model) => {
  expect(readConfig(env).model).toMatchObject(model)
})

test.each([
  ['PORT', { PORT: '80x' }],
  ['PORT', { PORT: '70000' }],
  ['JARVIS_MODEL', { JARVIS_MODEL: 'gemini/pro' }],
  ['ANTHROPIC_API_KEY', { JARVIS_MODEL: 'anthropic/claude-x' }],
  ['OPENAI_BASE_URL', { OPENAI_BASE_URL: 'localhost:11434' }],
  ['CHAT_MAX_LOOP', { CHAT_MAX_LOOP: '0' }],
  ['CONFIRM_TTL_SECONDS', { CONFIRM_TTL_SECONDS: '-5' }],
  ['JARVIS_PROTECTED', { JARVIS_PROTECTED: 'agent1' }],
  ['JARVIS_NODES', { JARVIS_NODES: 'pve1' }],
  ['SSH_USER', { SSH_USER: '-oProxyCommand=x' }],
  ['WOL_BROADCAST', { WOL_BROADCAST: 'lan:9' }],
  ['WOL_BROADCAST', { WOL_BROADCAST: '10.0.4.255:0' }],
  ['JARVIS_TERMINAL', { JARVIS_TERMINAL: 'yes' }],
  ['JARVIS_PASSWORD', { JARVIS_PASSWORD: 'short' }],
  ['JWT_SECRET', { JWT_SECRET: 'short' }],
  ['LOG_LEVEL', { LOG_LEVEL: 'loud' }],
  ['JARVIS_PASSWORD', { HOST: '0.0.0.0' }],
  ['JWT_SECRET', { HOST: '192.168.1.5', JARVIS_PASSWORD: 'correct-horse' }],
])('a bad %s stops the start with one line that names it and gives an example', (name, env) => {
  try {
    readConfig(env)
    expect.unreachable()
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    const { message } = error as ConfigError
    expect(message).toContain(name)
    expect(message).toMatch(/example|make one with|must be one of/)
    expect(message).not.toContain('\n')
  }
})

test('a .env that is a folder stops the start with one line', () => {
  const path = folder()
  expect(() => loadEnv(path)).toThrow(ConfigError)
  expect(() => loadEnv(path)).toThrow(/^\S+ cannot be read \(.+\)\. It must be a file.+$/)
})

test('a database from the future stops the start and is not touched', () => {
  const path = join(folder(), 'jarvis.db')
  const sql = new Sqlite(path)
  sql.pragma('user_version = 99')
  sql.close()
  const before = readFileSync(path)
  expect(() => openDatabase(path)).toThrow(DatabaseRefused)
  expect(() => openDatabase(path)).toThrow(/newer JARVIS \(schema 99/)
  expect(readFileSync(path).equals(before)).toBe(true)
})

test.each([
  ['noise', () => Buffer.from('this is no database, but it is long enough to look at'.repeat(40))],
  [
    'a damaged page',
    () => {
      const path = join(folder(), 'whole.db')
      openDatabase(path).close()
      const bytes = readFileSync(path)
      bytes.fill(0xab, 4096, 12_288)
      return bytes
    },
  ],
])('a database of %s stops the start and is not touched', (_what, makeBytes) => {
  const path = join(folder(), 'jarvis.db')
  const bytes = makeBytes()
  writeFileSync(path, bytes)
  expect(() => openDatabase(path)).toThrow(DatabaseRefused)
  expect(() => openDatabase(path)).toThrow(/Nothing was changed/)
  expect(readFileSync(path).equals(bytes)).toBe(true)
})

test('a kept secret is made once and readable by its owner alone', () => {
  const dir = folder()
  const box = boxOf({ dataDir: dir, secretKeys: {} })
  const first = sealedOrMade(box, { dataDir: dir, name: 'jwt-secret' }, () => 'made')
  const second = sealedOrMade(box, { dataDir: dir, name: 'jwt-secret' }, () => 'made again')
  expect([first, second]).toEqual(['made', 'made'])
  expect(statSync(join(dir, 'jwt-secret')).mode & 0o777).toBe(0o600)
})

test('what is decided durably is committed once, and callbacks come after the commit', () => {
  const database = openDatabase(':memory:')
  const order: string[] = []
  database.durably(() => {
    database.afterCommit(() => order.push(`committed ${database.sql.inTransaction}`))
    database.atomically(() => order.push('nested'))
    order.push('written')
  })
  expect(order).toEqual(['nested', 'written', 'committed false'])
  expect(() =>
    database.durably(() => {
      database.afterCommit(() => order.push('never'))
      throw new Error('rolled back')
    }),
  ).toThrow('rolled back')
  database.atomically(() => {})
  expect(order).not.toContain('never')
  expect(database.sql.pragma('synchronous', { simple: true })).toBe(1)
  database.close()
})

test('what is asked for in one moment shares one commit; where one of it fails, the rest is kept', async () => {
  const database = openDatabase(':memory:')
  const order: string[] = []
  const note = (text: string) => () => {
    order.push(text)
    database.afterCommit(() => order.push(`${text} is committed ${database.sql.inTransaction}`))
    return text
  }
  const both = Promise.all([database.together(note('first')), database.together(note('second'))])
  expect(order).toEqual([])
  expect(await both).toEqual(['first', 'second'])
  expect(order).toEqual(['first', 'second', 'first is committed false', 'second is committed false'])

  database.sql.exec('CREATE TABLE kept (text TEXT)')
  const keep = (text: string) => () => database.sql.prepare('INSERT INTO kept VALUES (?)').run(text)
  const fails = () => {
    keep('of the one that fails')()
    database.afterCommit(() => order.push('never'))
    throw new Error('refused')
  }
  const untold = () => {
    keep('committed all the same')()
    database.afterCommit(() => {
      throw new Error('told in vain')
    })
  }
  const ends = await Promise.allSettled(
    [keep('before'), fails, untold, keep('after')].map((work) => database.together(work)),
  )
  expect(ends.map((end) => (end.status === 'rejected' ? end.reason.message : end.status))).toEqual([
    'fulfilled',
    'refused',
    'told in vain',
    'fulfilled',
  ])
  expect(database.sql.prepare('SELECT text FROM kept').pluck().all()).toEqual([
    'before',
    'committed all the same',
    'after',
  ])
  expect(order).not.toContain('never')
  database.close()
})
