import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import Sqlite from 'better-sqlite3'
import jwt from 'jsonwebtoken'
import { systemClock } from 'node-kit/clock'
import type { Grant, JournalVerification, LoginReply, SessionSummary } from 'protocol'
import { expect, onTestFinished, test } from 'vitest'
import { migrations } from '../src/store/sqlite/migrations/index.ts'
import { as, postJson } from './support/people.ts'
import { startJarvis } from './support/start-jarvis.ts'

const fixture = readFileSync(new URL('./fixtures/before-people.sql', import.meta.url), 'utf8')
/** How many migrations that release knew. */
const known = 34
const password = 'n76z9-6dvzu-9qcr5-jhkpe'
const apiToken = 'jarvis_5sCGm8BM0Lo83QFHPRJuhjRqgIsM5Qcn3C5gVh'
const leftAt = 1_795_490_685_580

/** The data dir that the fixture tells of. @returns its JWT secret too */
function oldDataDir() {
  const dataDir = mkdtempSync(join(tmpdir(), 'jarvis-old-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true }))
  const files = new Map([...fixture.matchAll(/^-- file (\S+) (.+)$/gm)].map(([, name = '', text = '']) => [name, text]))
  for (const [name, text] of files) {
    mkdirSync(dirname(join(dataDir, name)), { recursive: true, mode: 0o700 })
    writeFileSync(join(dataDir, name), `${text}\n`, { mode: 0o600 })
  }
  const old = new Sqlite(join(dataDir, 'jarvis.db'))
  for (const migration of migrations.slice(0, known)) old.exec(migration)
  old.exec(fixture)
  old.pragma(`user_version = ${known}`)
  old.close()
  return { dataDir, secret: files.get('jwt-secret') ?? '' }
}

test('a data dir from before there were people keeps sign-in, tokens, sessions, grants and the journal’s chain', async () => {
  const { dataDir, secret } = oldDataDir()
  const startedAt = Date.now()
  const clock = { ...systemClock, now: () => leftAt + 60_000 + Date.now() - startedAt }
  const jarvis = await startJarvis({ dataDir, clock, env: { JARVIS_PASSWORD: '', JWT_SECRET: '' } })
  expect(jarvis.newPassword).toBeUndefined()
  const token = jwt.sign({ sub: 'operator', role: 'operator' }, secret, {
    issuer: 'jarvis',
    expiresIn: 3_600,
    jwtid: 'tok_of_the_older_release',
  })
  const ask = async <T>(path: string, bearer = token) => {
    const response = await fetch(`${jarvis.url}/api${path}`, as(bearer))
    expect([path, response.status]).toEqual([path, 200])
    return (await response.json()) as T
  }
  expect(await ask('/auth/me')).toMatchObject({ person: { id: 'operator', name: 'operator', role: 'owner' } })
  const login = await postJson(jarvis, '/auth/login', { password })
  expect((await login.json()) as LoginReply).toMatchObject({ person: { id: 'operator', role: 'owner' } })
  // Its hash was made anew with more strength, and it still counts.
  expect(readFileSync(join(dataDir, 'password-hash'), 'utf8')).toMatch(/^\$argon2id\$/)
  expect((await postJson(jarvis, '/auth/login', { password })).status).toBe(200)

  const { items: sessions } = await ask<{ items: SessionSummary[] }>('/sessions', apiToken)
  expect(sessions.map(({ title }) => title)).toEqual(['/restart_vm vmid=103'])
  const grants = async () => (await ask<{ items: Grant[] }>('/grants')).items.map(({ usesLeft }) => usesLeft)
  expect(await grants()).toEqual([5])
  const screen = await jarvis.connect('/chat', 'operator', token)
  await screen.ask('chat:send', { sessionId: sessions[0]?.id ?? '', message: '/restart_vm vmid=103' })
  await screen.next('chat:done')
  expect(screen.names()).not.toContain('chat:confirm_needed')
  expect(await grants()).toEqual([4])
  const { ok, entries } = await ask<JournalVerification>('/journal/verify')
  expect([ok, entries > 8]).toEqual([true, true])
})

test('what a newer release wrote is refused in one line, and stays as it is', async () => {
  const { dataDir } = oldDataDir()
  const path = join(dataDir, 'jarvis.db')
  const newer = new Sqlite(path)
  newer.pragma(`user_version = ${migrations.length + 1}`)
  newer.close()
  const before = readFileSync(path)
  await expect(startJarvis({ dataDir })).rejects.toThrow(
    /^[^\n]*was written by a newer JARVIS[^\n]*Nothing was changed\.[^\n]*$/,
  )
  expect(readFileSync(path).equals(before)).toBe(true)
})
