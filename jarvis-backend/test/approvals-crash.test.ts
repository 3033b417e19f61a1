import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ConfirmationRow, DecisionChallenge, JournalEntry, Page, WebAuthnOptions } from '../src/protocol/index.ts'
import { createPersonStore } from '../src/store/sqlite/access/people.ts'
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
  const people = createPersonStore(database)
  for (const name of ['ann', 'ben']) people.add({ id: `per_${name}`, name, role: 'operator', createdAt: 1 }, undefined)
  database.close()
  return dataDir
}

/** What several people do at the doors of a life, and read of it. */
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
    ...{ origin, owner, send, read },
    card: async () => (await read<Page<ConfirmationRow>>('confirmations')).items[0],
    journal: async (kind: string) =>
      (await read<Page<JournalEntry>>(`journal?kind=${kind}`)).items.map(({ body }) => body as Record<string, unknown>),
    /** `ok`, the refusal’s code, or `gone` where the server died before it answered. */
    decide: (bearer: string, id: string, more: object = {}) =>
      send(bearer, 'POST', `confirmations/${id}`, { confirmed: true, ...more }).then(
        async (reply) => (reply.ok ? 'ok' : ((await reply.json()) as { error: { code: string } }).error.code),
        () => 'gone',
      ),
  }
}
type Doors = ReturnType<typeof doors>

async function killedLife(start: { dataDir: string; dieAt: string }) {
  const { url, ended, kill } = await lives.killedLife(start)
  return { ...doors(url), ended, kill }
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
test.each<[dieAt: string, said: string[], kept: string[]]>([
  ['insert journal approval written', ['gone'], []],
  ['insert journal approval committed', ['gone'], ['per_ben']],
  ['the first yes was answered', ['ok'], ['per_ben']],
  ['insert journal decision written', ['ok', 'gone'], ['per_ben']],
  ['insert journal decision committed', ['ok', 'gone'], ['per_ben', 'operator']],
  ['effect done', ['ok', 'ok'], ['per_ben', 'operator']],
])(
  'of two who approve, killed at: %s. Each yes that was answered is kept, and the call runs at most once',
  async (dieAt, said, kept) => {
    const dataDir = house(two)
    const first = await killedLife({ dataDir, dieAt })
    const id = await asked(first)
    const answers = [await first.decide(tokenOf('per_ben'), id)]
    if (said.length === 2) answers.push(await first.decide(first.owner, id))
    if (dieAt.startsWith('the first')) await first.kill()
    else await first.ended
    // The answer to the last yes may be lost with the server, or sent before it dies.
    expect(answers.slice(0, -1)).toEqual(said.slice(0, -1))
    expect(['gone', said.at(-1)]).toContain(answers.at(-1))

    const second = await life(dataDir)
    const known = (await second.card())?.approvals?.by.map(({ person }) => person) ?? []
    expect(known).toEqual(kept)
    expect(await second.decide(tokenOf('per_ann'), id)).toMatch(/forbidden|already_decided/)
    for (const by of ['per_ben', 'operator'].filter((person) => !kept.includes(person)))
      expect([by, await second.decide(tokenOf(by), id)]).toEqual([by, 'ok'])
    await ended(second, dataDir, dieAt)
    expect(await second.read('journal/verify')).toMatchObject({ ok: true })
  },
  120_000,
)

test.each<[dieAt: string, isClaimed: boolean]>([
  ['insert journal decision written', false],
  ['insert journal decision committed', true],
  ['effect done', true],
])(
  'a signed decision, killed at: %s. The signature is kept with the claim or counts for nothing, and the call runs at most once',
  async (dieAt, isClaimed) => {
    const dataDir = house('proof: passkey\n')
    const first = await killedLife({ dataDir, dieAt })
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
    await first.decide(first.owner, id, before)
    await first.ended

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
  },
  120_000,
)
