import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Sqlite from 'better-sqlite3'
import type { DecisionChallenge, JournalEntry, Page, PeopleReply, SshKeyInfo, SshKeyReply } from 'protocol'
import { expect } from 'vitest'
import { testWith } from '../../scripts/test-with.js'
import { createAuthenticator } from './support/fake-authenticator.ts'
import { passkeyDoor } from './support/passkey-door.ts'
import { joined, stepUpAs } from './support/people.ts'
import { terminal } from './support/shell.ts'
import { cardIn, opened, passkey } from './support/signed-cards.ts'
import { makeSshKey } from './support/ssh-keygen.ts'
import { password } from './support/start-jarvis.ts'

const script = fileURLToPath(new URL('../../scripts/verify-decisions.mjs', import.meta.url))

const test = testWith('ssh-keygen')

type Opened = Awaited<ReturnType<typeof opened>>
const ssh = ({ challenge, statement }: DecisionChallenge, key: ReturnType<typeof makeSshKey>, namespace?: string) => ({
  proof: { type: 'ssh', challenge, signature: key.sign(statement, namespace) },
})
const enrol = ({ door }: Opened, key: { line: string }, name = '') =>
  door.ask<SshKeyReply>('POST', '/signers/ssh', { key: key.line, name })

/** The verdict of an outsider on the journal of a server that has stopped. */
async function verified({ jarvis, dir }: Opened, ...args: string[]) {
  await jarvis.stop()
  const sql = new Sqlite(join(dir, 'jarvis.db'))
  const rows = sql.prepare('SELECT * FROM journal ORDER BY seq').all() as { body: string }[]
  sql.close()
  const path = join(dir, 'export.jsonl')
  writeFileSync(path, rows.map((row) => `${JSON.stringify({ ...row, body: JSON.parse(row.body) })}\n`).join(''))
  return spawnSync(process.execPath, [script, path, ...args], { encoding: 'utf8' }).stdout
}

test('a card that must be signed runs by a key of OpenSSH, once, and the receipt holds for an outsider', async () => {
  const house = await opened({ isEnrolled: false, cards: 2 })
  const { operator, challenge, decide, restarts, journal, door } = house
  const key = makeSshKey()
  const stranger = makeSshKey()
  const { key: known } = await enrol(house, key)
  expect(known).toMatchObject({ name: 'mira@laptop' })
  expect(await enrol(house, key).catch(String)).toContain('enrolled already')

  const card = await cardIn(operator)
  const other = await cardIn(operator)
  const asked = await challenge(card.toolUseId)
  expect(asked).toMatchObject({ sshKeys: [known?.id], problem: expect.stringContaining('no passkey') })
  const refused = [
    ssh(asked, stranger),
    ssh(asked, key, 'file'),
    ssh({ ...asked, statement: `${asked.statement} ` }, key),
    ssh(await challenge(other.toolUseId), key),
    ssh(await challenge(card.toolUseId, { grant: { uses: 5 } }), key),
    { proof: { type: 'ssh', challenge: asked.challenge, signature: 'nothing' } },
  ]
  for (const body of refused) expect(await decide(card.toolUseId, body)).toBe('proof_refused')
  expect(restarts()).toBe(0)

  const signed = ssh(asked, key)
  expect(await decide(other.toolUseId, signed)).toBe('proof_refused')
  expect(await decide(other.toolUseId, { confirmed: false })).toBe('ok')
  expect(await decide(card.toolUseId, signed)).toBe('ok')
  await expect.poll(restarts).toBe(1)
  expect(await decide(card.toolUseId, signed)).toBe('already_decided')
  expect((await journal('decision'))[0]).toMatchObject({ receipt: { type: 'ssh', id: known?.id } })
  expect(await door.ask('GET', '/journal/verify')).toMatchObject({ ok: true })
  const held = '1 signed approvals that hold, 0 red calls that ran without one'
  // The fingerprint as `ssh-keygen -l` prints it, and that of another key.
  for (const [pin, isNamed] of [[known?.id ?? '', true] as const, ['SHA256:other', false] as const]) {
    const said = await verified(house, '--trust', pin)
    expect([said.includes(held), said.includes('is not among --trust')]).toEqual([isNamed, !isNamed])
  }
}, 60_000)

test('a further key is signed by an older one, of SSH or a passkey, and a removed one decides no more', async () => {
  const house = await opened({ isEnrolled: false, cards: 1 })
  const { door, operator, challenge, decide, restarts } = house
  const [first, second, third, fourth] = ['a', 'b', 'c', 'd'].map((name) => makeSshKey(name)) as [
    ReturnType<typeof makeSshKey>,
    ReturnType<typeof makeSshKey>,
    ReturnType<typeof makeSshKey>,
    ReturnType<typeof makeSshKey>,
  ]
  await enrol(house, first)
  const { countersign } = await enrol(house, second)
  if (countersign === undefined) throw new Error('An older key must sign it.')
  const { statement, namespace } = countersign
  const sign = (key: typeof first, space = namespace) =>
    door.ask<SshKeyInfo>('POST', '/signers/ssh/countersign', { statement, signature: key.sign(statement, space) })
  expect(await sign(third).catch(String)).toContain('It is none of your keys')
  // A request counts once.
  expect(await sign(first).catch(String)).toContain('Begin again')
  const again = await enrol(house, second)
  const text = again.countersign?.statement ?? ''
  const right = { statement: text, signature: first.sign(text, 'decision@jarvis') }
  expect(await door.ask('POST', '/signers/ssh/countersign', right).catch(String)).toContain('does not count')
  const last = (await enrol(house, second)).countersign?.statement ?? ''
  await door.ask('POST', '/signers/ssh/countersign', { statement: last, signature: first.sign(last, 'signer@jarvis') })

  // A passkey beside them vouches for the next.
  const key = createAuthenticator(door.origin)
  await door.enrol(key)
  const { countersign: byPasskey } = await enrol(house, third)
  if (byPasskey?.options === undefined) throw new Error('A passkey can sign here.')
  await door.ask('POST', '/signers/ssh/countersign', { response: key.get(byPasskey.options) })
  expect(await enrol(house, fourth)).toMatchObject({ countersign: { sshKeys: { length: 3 } } })
  const { items } = await door.ask<{ items: SshKeyInfo[] }>('GET', '/signers/ssh')
  expect(items.map(({ name }) => name)).toEqual(['a', 'b', 'c'])

  const card = await cardIn(operator)
  const asked = await challenge(card.toolUseId)
  const signed = ssh(asked, second)
  await door.ask('DELETE', `/signers/ssh/${encodeURIComponent(items[1]?.id ?? '')}`)
  expect(await decide(card.toolUseId, signed)).toBe('proof_refused')
  expect(await decide(card.toolUseId, ssh(asked, third))).toBe('ok')
  await expect.poll(restarts).toBe(1)
  expect(await verified(house)).toContain('1 signed approvals that hold')
}, 60_000)

test('an owner sees another person’s SSH keys, and removes a lost one with the password; nobody else does', async () => {
  const { jarvis, door } = await opened()
  const { token } = await joined(jarvis, 'Ann', 'operator')
  await stepUpAs(jarvis, token)
  const own = passkeyDoor(jarvis, token)
  const { items: people } = await door.ask<PeopleReply>('GET', '/people')
  const id = people.find(({ name }) => name === 'Ann')?.id ?? expect.fail('Ann is not there.')
  await own.ask('POST', '/signers/ssh', { key: makeSshKey().line, name: 'Laptop' })
  const { items } = await door.ask<{ items: SshKeyInfo[] }>('GET', `/people/${id}/signers/ssh`)
  expect(items).toMatchObject([{ name: 'Laptop' }])
  const lost = `signers/ssh/${encodeURIComponent(items[0]?.id ?? '')}`
  const statuses = [
    await own.send('GET', '/people/operator/signers/ssh'),
    await own.send('DELETE', `/people/${id}/${lost}`),
    await door.send('DELETE', `/people/operator/${lost}`),
    await door.send('DELETE', `/people/${id}/${lost}`),
  ].map(({ status }) => status)
  expect(statuses).toEqual([403, 403, 404, 204])
  expect(await own.ask('GET', '/signers/ssh')).toEqual({ items: [] })
  const { items: kept } = await door.ask<Page<JournalEntry>>('GET', '/journal?kind=signer')
  expect(kept[0]?.body).toMatchObject({ type: 'ssh', change: 'removed', person: id, name: 'Laptop', by: 'operator' })
})

test('a passkey signs no card after a count that went back, and the next one is counted', async () => {
  const { operator, challenge, decide, key, journal, restarts } = await opened()
  const card = await cardIn(operator)
  const sign = async (counter: number) => {
    const { options = { challenge: '' } } = await challenge(card.toolUseId)
    return decide(card.toolUseId, passkey(key.get(options, { counter })))
  }
  expect(await sign(9)).toBe('ok')
  await expect.poll(restarts).toBe(1)
  await operator.next('chat:done')
  const next = await cardIn(operator, card.sessionId)
  const { options = { challenge: '' } } = await challenge(next.toolUseId)
  expect(await decide(next.toolUseId, passkey(key.get(options, { counter: 9 })))).toBe('proof_refused')
  expect((await journal('signer'))[0]).toMatchObject({ change: 'refused', why: 'counter 9 after 9' })
  expect(await decide(next.toolUseId, passkey(key.get(options, { counter: 10 })))).toBe('ok')
  await expect.poll(restarts).toBe(2)
}, 60_000)

testWith('script', 'ssh-keygen')(
  'at a terminal a key is enrolled, and a card is approved with what ssh-keygen signs',
  async () => {
    const { jarvis, operator, restarts } = await opened({ isEnrolled: false })
    const key = makeSshKey()
    const enrolling = terminal(jarvis, ['signers', 'add', key.path])
    await enrolling.shown('Password')
    enrolling.type(`${password}\r`)
    await enrolling.shown('signs for you from now on.')
    expect((await enrolling.ended).code).toBe(0)

    const card = await cardIn(operator)
    const unsigned = terminal(jarvis, ['decide', card.toolUseId])
    await unsigned.shown('later')
    unsigned.type('a\r')
    await unsigned.shown('Your password approves')
    unsigned.type(`${password}\r`)
    await unsigned.shown('This approval must be signed.')
    expect((await unsigned.ended).code).toBe(3)
    const deciding = terminal(jarvis, ['decide', card.toolUseId, '--sign', key.path])
    await deciding.shown('later')
    deciding.type('a\r')
    await deciding.shown('Your password approves')
    deciding.type(`${password}\r`)
    expect((await deciding.ended).code).toBe(0)
    expect(await operator.next('chat:confirm_resolved')).toMatchObject({ decision: 'approved', signed: 'ssh' })
    await expect.poll(restarts).toBe(1)
  },
)
