import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ConfirmationRow, DecisionChallenge, JournalEntry, Page, WebAuthnOptions } from 'protocol'
import { expect, test } from 'vitest'
import { SqlitePersonStore } from '../src/store/sqlite/access/people.ts'
import { openDatabase } from '../src/store/sqlite/database.ts'
import { createAuthenticator } from './support/fake-authenticator.ts'
import { killedHouse } from './support/killed-house.ts'
import { tokenOf } from './support/persons.ts'
import { password } from './support/start-jarvis.ts'

const { newDir, ...lives } = killedHouse('v1')

/** A data dir with two operators beside the owner, under a policy. */
function house(policy: string): string {
  const dataDir = newDir()
  writeFileSync(join(dataDir, 'policy.yaml'), policy)
  const database = openDatabase(join(dataDir, 'jarvis.db'))
  const people = new SqlitePersonStore(database)
  for (const name of ['ann', 'ben']) people.add({ id: `per_${name}`, name, role: 'operator', createdAt: 1 }, undefined)
  database.close()
  return dataDir
}

/** The acts of several people at the doors of a life, and their reads. */
function doors(url: string) {
  const origin = url.replace('127.0.0.1', 'localhost')
  const send = (bearer: string, method: string, path: string, body?: object) =>
    fetch(`${origin}/api/${path}`, {
      method,
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json', connection: 'close' },
      ...(body && { body: JSON.stringify(body) }),
    })
  const owner = tokenOf('operator')
  const read = async <T>(path: string) => (await (await send(owner, 'GET', path)).json()) as T
  return {
    origin,
    owner,
    send,
    read,
    card: async () => (await read<Page<ConfirmationRow>>('confirmations')).items[0],
    journal: async (kind: string) =>
      (await read<Page<JournalEntry>>(`journal?kind=${kind}`)).items.map(({ body }) => body as Record<string, unknown>),
    /** `ok`, or the refusal’s code. */
    async decide(bearer: string, id: string, more: object = {}) {
      const reply = await send(bearer, 'POST', `confirmations/${id}`, { confirmed: true, ...more })
      return reply.ok ? 'ok' : ((await reply.json()) as { error: { code: string } }).error.code
    },
  }
}
type Doors = ReturnType<typeof doors>

/** A life whose moments are kept. */
async function firstLife(dataDir: string, points: readonly string[]) {
  const first = await lives.life({ dataDir }, { points })
  return { ...doors(first.url), stop: first.stop, at: first.at, now: first.now }
}
const life = async (dataDir: string) => doors((await lives.life({ dataDir })).url)

const linesIn = (dataDir: string) => {
  const path = join(dataDir, 'lines')
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}
/** Ann asks for a line, and its card waits. */
async function asked({ send, card }: Doors): Promise<string> {
  await send(tokenOf('per_ann'), 'POST', 'sessions', { message: 'call note_down {"line":"once"}' })
  await expect.poll(card).toMatchObject({ toolName: 'note_down' })
  return (await card())?.toolUseId ?? ''
}
const outcome = ({ card }: Doors) => expect.poll(async () => (await card())?.outcome, { timeout: 20_000 })

/** The claim is committed with the last decision. Killed after it, nobody knows whether the call ran, and it is not tried again. */
async function ended(server: Doors, dataDir: string, dieAt: string) {
  const isClaimed = dieAt === 'effect done' || dieAt === 'insert journal decision committed'
  await outcome(server).toBe(isClaimed ? 'unknown' : 'done')
  expect(linesIn(dataDir)).toBe(dieAt === 'insert journal decision committed' ? '' : 'once\n')
}

const two = 'rules: [{name: two, tools: all, tier: red, because: Two people., approve: {count: 2}}]\n'
const afterFirst = 'the first yes was answered'
const twice: [dieAt: string, kept: string[]][] = [
  ['insert journal approval written', []],
  ['insert journal approval committed', ['per_ben']],
  [afterFirst, ['per_ben']],
  ['insert journal decision written', ['per_ben']],
  ['insert journal decision committed', ['per_ben', 'operator']],
  ['effect done', ['per_ben', 'operator']],
]

test('of two who approve, killed at any step, each yes that was answered is kept, and the call runs at most once', async () => {
  const first = await firstLife(
    house(two),
    twice.map(([dieAt]) => dieAt),
  )
  const id = await asked(first)
  expect(await first.decide(tokenOf('per_ben'), id)).toBe('ok')
  const answered = first.now()
  expect(await first.decide(first.owner, id)).toBe('ok')
  // Was committed before it was answered.
  first.at('insert journal decision committed')
  await outcome(first).toBe('done')
  await first.stop()

  await lives.eachKill(twice, async (dieAt, kept) => {
    const { dataDir } = dieAt === afterFirst ? answered : first.at(dieAt)
    const second = await life(dataDir)
    const known = (await second.card())?.approvals?.by.map(({ person }) => person) ?? []
    expect(known).toEqual(kept)
    expect(await second.decide(tokenOf('per_ann'), id)).toMatch(/forbidden|already_decided/)
    for (const by of ['per_ben', 'operator'].filter((person) => !kept.includes(person)))
      expect([by, await second.decide(tokenOf(by), id)]).toEqual([by, 'ok'])
    await ended(second, dataDir, dieAt)
    expect(await second.read('journal/verify')).toMatchObject({ ok: true })
  })
})

const signed: [dieAt: string, isClaimed: boolean][] = [
  ['insert journal decision written', false],
  ['insert journal decision committed', true],
  ['effect done', true],
]

test('a signed decision, killed at any step: the signature is kept with the claim or counts for nothing, and the call runs at most once', async () => {
  const first = await firstLife(
    house('proof: passkey\n'),
    signed.map(([dieAt]) => dieAt),
  )
  const key = createAuthenticator(first.origin)
  await first.send(first.owner, 'POST', 'auth/step-up', { password })
  const options = await (await first.send(first.owner, 'POST', 'passkeys/options')).json()
  const enrolled = await first.send(first.owner, 'POST', 'passkeys', {
    name: 'Key',
    response: key.create(options as WebAuthnOptions),
  })
  expect(enrolled.status).toBe(200)
  const id = await asked(first)
  const reply = await first.send(first.owner, 'POST', `confirmations/${id}/challenge`, { decision: 'approved' })
  const { options: asks } = (await reply.json()) as DecisionChallenge
  const before = { proof: { type: 'passkey', response: key.get(asks as WebAuthnOptions) } }
  expect(await first.decide(first.owner, id, before)).toBe('ok')
  await outcome(first).toBe('done')
  await first.stop()

  await lives.eachKill(signed, async (dieAt, isClaimed) => {
    const { dataDir } = first.at(dieAt)
    const second = await life(dataDir)
    expect(await second.decide(second.owner, id)).toBe(isClaimed ? 'already_decided' : 'proof_required')
    if (!isClaimed) {
      expect(linesIn(dataDir)).toBe('')
      // The challenge outlives a restart, and what the kill undid has not used it.
      expect(await second.decide(second.owner, id, before)).toBe('ok')
      expect(await second.decide(second.owner, id, before)).toBe('already_decided')
    }
    await ended(second, dataDir, dieAt)
    expect(await second.journal('decision')).toMatchObject([
      { toolUseId: id, receipt: { type: 'passkey', id: key.id } },
    ])
    expect(await second.read('journal/verify')).toMatchObject({ ok: true })
  })
})
