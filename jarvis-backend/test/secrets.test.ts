import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Sqlite from 'better-sqlite3'
import jwt from 'jsonwebtoken'
import { isSealed, type KeySources, rotate } from 'secrets'
import { expect, test } from 'vitest'
import { readMcpFile } from '../src/config/mcp-file.ts'
import { hasSealed, sealFiles, secretFileNames } from '../src/config/sealed-files.ts'
import { boxOf, keySources } from '../src/config/sealing.ts'
import { surveySecrets } from '../src/config/secret-survey.ts'
import { readStartConfig } from '../src/config/settings-file.ts'
import { secretChecks } from '../src/doctor/secret-checks.ts'
import { openDatabase } from '../src/store/sqlite/database.ts'
import { enrol } from './support/authenticator-app.ts'
import { jarvisHere } from './support/command-here.ts'
import { folder } from './support/data-dir.ts'
import { createSkippingClock } from './support/fake-clock.ts'
import { program } from './support/program.ts'
import { says, scripted } from './support/scripted-model.ts'
import { startJarvis } from './support/start-jarvis.ts'

const steps = fileURLToPath(new URL('./support/fs-steps.mjs', import.meta.url))
const planted = {
  pve: 'canary-pve-7d1c9e52',
  openai: 'sk-canary-openai-0123456789',
  named: 'canary-named-key-0123456789',
  header: 'canary-header-0123456789',
  env: 'canary-env-0123456789',
  argument: 'canary-argument-0123456789',
  query: 'canary-query-0123456789',
  jwt: 'canary-jwt-secret-0123456789abcdef0123456789',
  vapid: 'canary-vapid-0123456789',
}
const quick = { JARVIS_MODEL: 'demo', JARVIS_EMBEDDINGS: 'none' }
const canaries = Object.values(planted)

/** A data dir in a folder that others may write, so that its key lies in it. */
function sharedDir() {
  const parent = folder()
  chmodSync(parent, 0o777)
  const dir = join(parent, 'data')
  mkdirSync(dir)
  return dir
}

/** A data dir as a release before this one left it, with a secret in every place. */
function plainDir(dir = sharedDir()) {
  const write = (name: string, text: string) => writeFileSync(join(dir, name), text, { mode: 0o600 })
  write(
    'settings.env',
    `# mine\nPVE_URL=https://pve.lan:8006\nPVE_TOKEN_ID=jarvis@pve!jarvis\nPVE_TOKEN_SECRET=${planted.pve}\nOPENAI_API_KEY=${planted.openai}\n`,
  )
  const gpu = { name: 'gpu', kind: 'openai-chat', baseUrl: 'http://gpu.lan/v1', models: ['qwen'] }
  write(
    'models.json',
    JSON.stringify({ version: 1, providers: [{ ...gpu, key: planted.named, headers: { 'X-Key': planted.header } }] }),
  )
  const mcpServers = {
    local: {
      command: 'true',
      args: ['--token', planted.argument, '--plain'],
      env: { API_TOKEN: planted.env, MODE: 'production' },
      enabled: false,
    },
    remote: {
      url: `http://nas.lan/mcp?api_key=${planted.query}`,
      headers: { Authorization: `Bearer ${planted.header}` },
      enabled: false,
    },
  }
  write('mcp.json', JSON.stringify({ mcpServers }))
  write('jwt-secret', `${planted.jwt}\n`)
  write('vapid-keys', JSON.stringify({ publicKey: 'public', privateKey: planted.vapid }))
  return dir
}

const envOf = (dir: string, more: Record<string, string> = {}) => ({
  JARVIS_DATA_DIR: dir,
  JARVIS_PASSWORD: 'correct-horse-battery',
  ...more,
})
const sealingOf = (dir: string, secretKeys: KeySources = {}) => ({ dataDir: dir, secretKeys })

/** Every secret of a data dir, as the parts that use them read them. */
function openedIn(dir: string, more: Record<string, string> = {}): string {
  const config = readStartConfig(envOf(dir, more))
  const box = boxOf(config)
  const whole = (name: string) => {
    const text = readFileSync(join(dir, name), 'utf8').trim()
    return isSealed(text) ? box.open(name, text) : text
  }
  const { servers, problems } = readMcpFile(config)
  return JSON.stringify([config.secrets, [...servers.values()], problems, whole('jwt-secret'), whole('vapid-keys')])
}

const filesIn = (dir: string): string[] =>
  (readdirSync(dir, { recursive: true }) as string[]).filter((name) => statSync(join(dir, name)).isFile())
const leaksIn = (dir: string) =>
  filesIn(dir).flatMap((name) => {
    const bytes = readFileSync(join(dir, name))
    return canaries.filter((canary) => bytes.includes(canary)).map((canary) => `${name}: ${canary}`)
  })
const digestOf = (dir: string) =>
  filesIn(dir)
    .filter((name) => !/^lock\.db|^jarvis\.db-/.test(name))
    .map(
      (name) =>
        `${name} ${createHash('sha256')
          .update(readFileSync(join(dir, name)))
          .digest('hex')}`,
    )
    .sort()

/** Runs the real program to its end, and copies its data dir before each change of a file: each copy is what kill -9 leaves then. */
async function killedAtEachStep(dir: string, name: 'main' | 'cli', ...args: string[]): Promise<string[]> {
  const to = folder()
  const child = spawn(process.execPath, ['--import', steps, ...program(name), ...args], {
    env: { PATH: process.env.PATH, ...envOf(dir, quick), STEPS_OF: dir, STEPS_TO: to, PORT: '0', LOG_LEVEL: 'silent' },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (piece: Buffer) => {
      output += piece.toString()
      if (name === 'main' && output.includes('Model: ')) child.kill('SIGTERM')
    })
  const code = await new Promise((resolve) => child.on('close', resolve))
  const copies = readdirSync(to).sort()
  if (code !== 0 || copies.length < 10) throw new Error(`${code}, ${copies.length} steps: ${output}`)
  return copies.map((copy) => join(to, copy))
}

test('a start seals what an older release left plain; data dir, log, journal and backup show none of it', async () => {
  const dir = plainDir()
  const before = openedIn(dir)
  const server = await startJarvis({
    dataDir: dir,
    fromFiles: true,
    env: { ...quick, JWT_SECRET: '' },
  })
  expect(leaksIn(dir)).toEqual([])
  expect(readFileSync(join(dir, 'settings.env'), 'utf8')).toMatch(/^# mine\nPVE_URL=https:\/\/pve\.lan:8006\n/)
  expect(JSON.parse(readFileSync(join(dir, 'mcp.json'), 'utf8'))).toMatchObject({
    mcpServers: {
      local: { args: ['--token', expect.stringMatching(/^sealed:/), '--plain'], env: { MODE: 'production' } },
    },
  })
  // The key that signs sign-ins is the one that lay there plain.
  const signed = jwt.sign({ sub: 'operator', role: 'operator' }, planted.jwt, { issuer: 'jarvis', expiresIn: 60 })
  const ask = async (path: string) =>
    (await fetch(server.url + path, { headers: { authorization: `Bearer ${signed}` } })).text()
  const shown = await Promise.all(['/api/journal?kind=setup', '/api/logs'].map(ask))
  expect(shown[0]).toContain('secrets_sealed')
  expect(canaries.filter((canary) => shown.join().includes(canary))).toEqual([])
  await server.stop()
  expect(openedIn(dir)).toBe(before)
  for (const canary of canaries) expect(before).toContain(canary)

  const file = join(folder(), 'backup.db')
  const { output } = await jarvisHere(dir, 'backup', file)
  expect(output).toMatch(
    /Sealed secrets stay sealed in it: mcp\.json\/local\/env\/API_TOKEN was read back and opened with the key [0-9a-f]{8} of .*secrets\.key, which is not in it/,
  )
  expect(leaksIn(join(file, '..'))).toEqual([])
  const [key = ''] = /^[0-9a-f]{64}$/m.exec(readFileSync(join(dir, 'secrets.key'), 'utf8')) ?? []
  expect(readFileSync(file).includes(key)).toBe(false)
  expect(canaries.filter((canary) => output.includes(canary))).toEqual([])

  // Elsewhere, without the key: the restore says what is missing, and the key mends it.
  const other = sharedDir()
  expect(await jarvisHere(other, 'restore', '--yes', file)).toMatchObject({
    code: 1,
    output: expect.stringMatching(/the key [0-9a-f]{8} that proves it is not here/),
  })
  const restored = await jarvisHere(other, 'restore', '--yes', '--unproven', file)
  expect(restored.output).toMatch(
    /Missing: mcp\.json\/local\/env\/API_TOKEN, .*what is sealed in the database\. The key [0-9a-f]{8} /,
  )
  expect(() => boxOf(sealingOf(other))).toThrow(/sealed with the key [0-9a-f]{8}, and .*secrets\.key holds none/)
  cpSync(join(dir, 'secrets.key'), join(other, 'secrets.key'))
  expect(JSON.stringify([...readMcpFile(sealingOf(other)).servers.values()])).toContain(planted.env)

  // In a data dir with keys of its own, which keep what they sealed.
  const into = sharedDir()
  writeFileSync(join(into, 'settings.env'), `OPENAI_API_KEY=${planted.openai}\n`)
  sealFiles(into, boxOf(sealingOf(into)))
  expect((await jarvisHere(into, 'restore', '--yes', '--unproven', file)).output).toMatch(
    /^Missing: mcp\.json\/local\/env/m,
  )
  expect(readStartConfig(envOf(into)).secrets).toContain(planted.openai)
  expect(readMcpFile(sealingOf(into)).problems.join()).toMatch(
    /local is not used: mcp\.json\/local\/env\/API_TOKEN is sealed with the data key/,
  )
  const told = { health: 'warn', text: expect.stringContaining('No key here opens mcp.json/local') }
  expect(secretChecks(sealingOf(into))).toContainEqual(expect.objectContaining(told))
  writeFileSync(join(into, 'secrets.key'), readFileSync(join(dir, 'secrets.key')), { flag: 'a' })
  expect(readMcpFile(sealingOf(into)).problems).toEqual([])
  expect(readStartConfig(envOf(into)).secrets).toContain(planted.openai)
})

test('kill -9 at any step of sealing loses no secret, and the next start ends it', async () => {
  const expected = openedIn(plainDir())
  const dir = plainDir()
  const copies = await killedAtEachStep(dir, 'main')
  expect(leaksIn(dir)).toEqual([])
  const seen = new Set<number>()
  for (const copy of copies) {
    seen.add(surveySecrets(sealingOf(copy)).secrets.filter(({ state }) => state === 'plain').length)
    expect(openedIn(copy)).toBe(expected)
    sealFiles(copy, boxOf(sealingOf(copy)))
    expect(openedIn(copy)).toBe(expected)
    for (const name of filesIn(copy)) if (name.endsWith('.new')) rmSync(join(copy, name))
    expect(leaksIn(copy)).toEqual([])
  }
  // The copies are of before, of after, and of states between.
  expect([...seen].sort()).toEqual(expect.arrayContaining([0, 2, 10]))
})

test('kill -9 at any step of a rotation loses no secret; called again it ends, and the old key opens nothing', async () => {
  const dir = plainDir()
  sealFiles(dir, boxOf(sealingOf(dir)))
  const expected = openedIn(dir)
  const old = readFileSync(join(dir, 'secrets.key'), 'utf8')
  const copies = await killedAtEachStep(dir, 'cli', 'secrets', 'rotate')
  const isUnfinished = (of: string) => surveySecrets(sealingOf(of)).isRotating
  expect(copies.filter(isUnfinished).length).toBeGreaterThan(3)
  for (const copy of [...copies, dir]) {
    expect(openedIn(copy)).toBe(expected)
    if (isUnfinished(copy)) {
      expect(rotate(copy, {}, { verify: () => {}, now: Date.now() })).toMatchObject({ isResumed: true })
      expect(isUnfinished(copy)).toBe(false)
    }
    expect(openedIn(copy)).toBe(expected)
  }
  // No server runs, so what was sealed before is sealed with the new data key at once; what a crash left, by the next start.
  const statesIn = (of: string) => new Set(surveySecrets(sealingOf(of)).secrets.map(({ state }) => state))
  expect(statesIn(dir)).toEqual(new Set(['sealed']))
  const [cut = ''] = copies.filter((copy) => statesIn(copy).has('old'))
  sealFiles(cut, boxOf(sealingOf(cut)))
  expect(statesIn(cut)).toEqual(new Set(['sealed']))
  expect(openedIn(dir)).toBe(expected)

  const kept = digestOf(dir)
  writeFileSync(join(dir, 'secrets.key'), old)
  expect(() => readStartConfig(envOf(dir))).toThrow(
    /sealed with the key [0-9a-f]{8}, and there is only [0-9a-f]{8} of .*secrets\.key/,
  )
  expect(digestOf(dir).filter((line) => !line.startsWith('secrets.key'))).toEqual(
    kept.filter((line) => !line.startsWith('secrets.key')),
  )
})

test.each([
  [
    'no key',
    (dir: string) => rmSync(join(dir, 'secrets.key')),
    /^The secrets of .* holds none\. Nothing was changed\. Put the key back where it was, .*secrets forget/,
  ],
  [
    'another key',
    (dir: string) => writeFileSync(join(dir, 'secrets.key'), 'ab'.repeat(32)),
    /there is only [0-9a-f]{8} of/,
  ],
  [
    'a key that is none',
    (dir: string) => writeFileSync(join(dir, 'secrets.key'), 'abc'),
    /must hold a key of 64 hexadecimal digits/,
  ],
  [
    'a damaged keyring',
    (dir: string) => writeFileSync(join(dir, 'secret-keys.json'), '{'),
    /secret-keys\.json is damaged/,
  ],
  [
    'no keyring',
    (dir: string) => rmSync(join(dir, 'secret-keys.json')),
    /secret-keys\.json is missing, and .* holds sealed secrets/,
  ],
])('with %s a start is refused in one line and touches nothing', async (_what, harm, line) => {
  const dir = plainDir()
  sealFiles(dir, boxOf(sealingOf(dir)))
  const whole = sharedDir()
  cpSync(dir, whole, { recursive: true })
  harm(dir)
  const before = digestOf(dir)
  expect(() => readStartConfig(envOf(dir))).toThrow(line)
  // Also where nothing saved is used.
  await expect(startJarvis({ dataDir: dir, env: { JARVIS_EMBEDDINGS: 'none' } })).rejects.toThrow(line)
  expect(digestOf(dir).filter((file) => !file.startsWith('jarvis.db'))).toEqual(before)
  expect(surveySecrets(sealingOf(dir)).problem).toMatch(line)
  expect(secretChecks(sealingOf(dir))[0]).toMatchObject({ health: 'bad', text: expect.stringMatching(line) })

  for (const name of ['secrets.key', 'secret-keys.json']) cpSync(join(whole, name), join(dir, name))
  expect(openedIn(dir)).toBe(openedIn(whole))
})

test('a lost key is said, and forgetting what it sealed lets JARVIS start again', async () => {
  const dir = plainDir()
  sealFiles(dir, boxOf(sealingOf(dir)))
  openDatabase(join(dir, 'jarvis.db')).close()
  const key = join(folder(), 'kept.key')
  renameSync(join(dir, 'secrets.key'), key)
  expect(await jarvisHere(dir, 'secrets')).toMatchObject({
    code: 1,
    output: expect.stringMatching(/^settings\.env\/PVE_TOKEN_SECRET {2}sealed, and no key here opens it$/m),
  })
  expect(await jarvisHere(dir, 'secrets', 'forget')).toMatchObject({
    code: 0,
    output: expect.stringMatching(/^Set aside: .*settings\.env\/PVE_TOKEN_SECRET, models\.json\/gpu\/key/),
  })
  expect(hasSealed(dir)).toBe(false)
  const copy = filesIn(dir).find((name) => name.startsWith('settings.env.before-forget-'))
  expect(readFileSync(join(dir, copy ?? ''), 'utf8')).toContain('PVE_TOKEN_SECRET=sealed:v1:')
  expect(readStartConfig(envOf(dir))).toMatchObject({ clusterSource: 'demo', model: { provider: 'gpu' } })
  expect(readMcpFile(sealingOf(dir)).problems.join()).toContain('remote is not used')
  expect(() => rotate(dir, {}, { verify: () => {}, now: 1 })).toThrow(/Nothing is sealed yet/)
  boxOf(sealingOf(dir))
})

test('the key comes from the environment or a systemd credential before a file, and a rotation moves the secrets to it', () => {
  const dir = plainDir()
  sealFiles(dir, boxOf(sealingOf(dir)))
  const expected = openedIn(dir)
  expect(secretChecks(sealingOf(dir))).toContainEqual(
    expect.objectContaining({ health: 'warn', text: expect.stringContaining('lies in the data dir') }),
  )

  const credentials = folder()
  writeFileSync(join(credentials, 'jarvis-secrets-key'), `${'cd'.repeat(32)}\n`)
  const sources = keySources({ CREDENTIALS_DIRECTORY: credentials })
  expect(openedIn(dir, { CREDENTIALS_DIRECTORY: credentials })).toBe(expected)
  expect(surveySecrets(sealingOf(dir, sources)).isRotating).toBe(true)
  expect(rotate(dir, sources, { verify: () => {}, now: 1 })).toMatchObject({
    at: join(credentials, 'jarvis-secrets-key'),
    unneeded: [join(dir, 'secrets.key')],
  })
  rmSync(join(dir, 'secrets.key'))
  expect(openedIn(dir, { CREDENTIALS_DIRECTORY: credentials })).toBe(expected)
  expect(() => rotate(dir, sources, { verify: () => {}, now: 1 })).toThrow(
    /holds the key in use\. Put a new one before it/,
  )
  expect(secretChecks(sealingOf(dir, sources)).map(({ health }) => health)).toEqual(['ok'])

  const [older, newer] = ['cd'.repeat(32), 'EF'.repeat(32)]
  rotate(dir, { given: `${newer} ${older}` }, { verify: () => {}, now: 2 })
  expect(openedIn(dir, { JARVIS_SECRETS_KEY: newer }).replaceAll(`"${newer}",`, '')).toBe(expected)
  expect(() => openedIn(dir, { JARVIS_SECRETS_KEY: older })).toThrow(/sealed with the key/)
  expect(() => readStartConfig(envOf(dir, { JARVIS_SECRETS_KEY: 'short' }))).toThrow(/JARVIS_SECRETS_KEY must/)
})

test('a key lies beside a data dir of its owner, readable by nobody else, and in one whose folder others share', () => {
  const home = folder()
  const dir = join(home, '.jarvis')
  mkdirSync(dir)
  boxOf(sealingOf(dir))
  expect(statSync(`${dir}.key`).mode & 0o777).toBe(0o600)
  expect(existsSync(join(dir, 'secrets.key'))).toBe(false)
  expect(secretChecks(sealingOf(dir)).map(({ health }) => health)).toEqual(['ok'])

  const named = join(folder(), 'secrets.key')
  const other = folder()
  boxOf(sealingOf(other, { file: named }))
  expect(statSync(named).mode & 0o777).toBe(0o600)
  expect(filesIn(other)).toEqual(['secret-keys.json'])
  expect(() => boxOf(sealingOf(sharedDir(), { file: join(other, 'none', 'secrets.key') }))).toThrow(
    /cannot be made \(ENOENT\)/,
  )
})

test('a seed in the database is kept as secrets in files are: no new keys beside it, sealed again after a rotation, forgotten by name', async () => {
  const dir = sharedDir()
  const clock = createSkippingClock()
  const start = () => startJarvis({ dataDir: dir, clock, env: { JARVIS_EMBEDDINGS: 'none' } })
  const login = async ({ url }: { url: string }, code?: string) => {
    const response = await fetch(`${url}/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ password: 'correct-horse-battery', ...(code && { code }) }),
    })
    return response.status
  }
  const states = () => surveySecrets(sealingOf(dir)).secrets
  const place = 'people/operator/totp'
  const first = await start()
  const { app } = await enrol(first)
  await first.stop()
  for (const name of secretFileNames) rmSync(join(dir, name), { force: true })
  expect(states()).toEqual([{ place, state: 'sealed' }])

  const keyring = readFileSync(join(dir, 'secret-keys.json'))
  rmSync(join(dir, 'secret-keys.json'))
  const missing = /secret-keys\.json is missing, and .* holds sealed secrets/
  await expect(start()).rejects.toThrow(missing)
  expect(() => boxOf(sealingOf(dir))).toThrow(missing)
  expect(secretChecks(sealingOf(dir))[0]).toMatchObject({ health: 'bad', text: expect.stringMatching(missing) })
  expect(existsSync(join(dir, 'secret-keys.json'))).toBe(false)
  writeFileSync(join(dir, 'secret-keys.json'), keyring)

  const file = join(folder(), 'backup.db')
  expect((await jarvisHere(dir, 'backup', file)).output).toMatch(/people\/operator\/totp was read back and opened with/)
  const rotated = await jarvisHere(dir, 'secrets', 'rotate')
  expect(rotated.output).toMatch(/opened every secret/)
  expect(rotated.output).not.toContain('restarts')
  expect(states()).toEqual([{ place, state: 'sealed' }])
  const second = await start()
  // While a server runs, it keeps the data key that it began with, and that is said.
  const until = 'until it restarts'
  expect((await jarvisHere(dir, 'secrets', 'rotate')).output).toContain(`keeps the data key of before ${until}`)
  expect((await jarvisHere(dir, 'secrets')).output).toContain(
    `${place}  sealed with an older data key, which the running server uses ${until}`,
  )
  await clock.skip(30_000)
  expect([await login(second), await login(second, app.codeAt(clock.now()))]).toEqual([401, 200])
  await second.stop()

  rmSync(join(dir, 'secrets.key'))
  expect(states()).toContainEqual({ place, state: 'closed' })
  expect((await jarvisHere(dir, 'secrets', 'forget')).output).toMatch(
    /^Second factors among them are off: the password alone signs these people in\.$/m,
  )
  expect(filesIn(dir).filter((name) => name.startsWith('sealed-rows.json.before-forget-'))).toHaveLength(1)
  expect(await login(await start())).toBe(200)
})

test('a sealed text opens at its own place alone, and not when a byte was changed', () => {
  const box = boxOf(sealingOf(sharedDir()))
  const sealed = box.seal('people/per_a/totp', 'seed')
  expect(sealed).not.toBe(box.seal('people/per_a/totp', 'seed'))
  expect(box.open('people/per_a/totp', sealed)).toBe('seed')
  expect(() => box.open('people/per_b/totp', sealed)).toThrow(/was changed, or sealed elsewhere/)
  const at = sealed.length - 4
  const changed = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1)
  expect(() => box.open('people/per_a/totp', changed)).toThrow(/was changed/)
})

test('what is written by hand is sealed when the server reads it, and copies with plain secrets are told of', async () => {
  const dir = sharedDir()
  const server = await startJarvis({ dataDir: dir, model: scripted(says('Kept.')), env: { JARVIS_EMBEDDINGS: 'none' } })
  const entry = {
    url: 'http://127.0.0.1:1/mcp',
    headers: { Authorization: `Bearer ${planted.header}` },
    enabled: false,
  }
  writeFileSync(join(dir, 'mcp.json'), JSON.stringify({ mcpServers: { remote: entry } }))
  await expect.poll(() => readFileSync(join(dir, 'mcp.json'), 'utf8')).toContain('"Authorization": "sealed:v1:')
  writeFileSync(join(dir, 'settings.env.bak'), `OPENAI_API_KEY=${planted.openai}\n`)
  expect(secretChecks(sealingOf(dir)).map(({ text }) => text)).toContain('Copies with plain secrets: settings.env.bak.')
  // A secret that was unsealed is known to the redactor.
  const screen = await server.connect()
  const { sessionId } = await screen.ask('chat:send', { message: `It is ${planted.header}` })
  await screen.next('chat:done')
  expect(await (await server.rest(`/api/sessions/${sessionId}/export`)).text()).not.toContain(planted.header)
})

test('an older JARVIS that finds this data dir is refused before it opens or sends anything', () => {
  const dir = plainDir()
  const database = openDatabase(join(dir, 'jarvis.db'))
  database.close()
  const sql = new Sqlite(join(dir, 'jarvis.db'))
  sql.pragma(`user_version = ${Number(sql.pragma('user_version', { simple: true })) + 1}`)
  sql.close()
  const before = digestOf(dir)
  const start = () => startJarvis({ dataDir: dir, fromFiles: true, env: quick })
  return expect(start())
    .rejects.toThrow(
      /jarvis\.db was written by a newer JARVIS \(schema \d+, this one knows \d+\)\. Nothing was changed\. Start the newer version/,
    )
    .then(() => expect(digestOf(dir)).toEqual(before))
})
