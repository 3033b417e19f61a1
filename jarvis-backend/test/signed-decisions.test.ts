import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Sqlite from 'better-sqlite3'
import { canonicalJson } from 'node-kit/canonical'
import type { Card, GrantRequest } from 'protocol'
import { createSignatureCheck } from 'signing/journal-check'
import { expect, test } from 'vitest'
import { hashOf } from '../src/store/sqlite/journal/journal.ts'
import { createAuthenticator, type Lies } from './support/fake-authenticator.ts'
import { cardIn, opened, passkey } from './support/signed-cards.ts'
import type { Screen } from './support/start-jarvis.ts'

const script = fileURLToPath(new URL('../../scripts/verify-decisions.mjs', import.meta.url))

test('a card that must be signed runs by a passkey alone, and its receipt stays in the journal', async () => {
  const { operator, decide, challenge, key, restarts, journal } = await opened()
  const card = await cardIn(operator)
  expect(card.proof).toBe('passkey')

  // A stolen bearer at each door.
  expect(await decide(card.toolUseId, {})).toBe('proof_required')
  const asked = { sessionId: card.sessionId, toolUseId: card.toolUseId, confirmed: true }
  expect(await operator.request('chat:confirm', asked)).toMatchObject({ ok: false, error: { code: 'proof_required' } })
  expect(restarts()).toBe(0)

  const { options, lines, statement } = await challenge(card.toolUseId)
  expect(lines[0]).toBe(card.sentence)
  expect(JSON.parse(statement)).toMatchObject({ toolUseId: card.toolUseId, decision: 'approved', person: 'operator' })
  if (options === undefined) throw new Error('A passkey can sign here.')
  const signed = key.get(options)
  expect(await decide(card.toolUseId, passkey(signed))).toBe('ok')
  await operator.next('chat:done')
  expect(restarts()).toBe(1)
  expect(await operator.next('chat:confirm_resolved')).toMatchObject({ decision: 'approved', signed: 'passkey' })
  const [decision] = await journal('decision')
  expect(decision).toMatchObject({ decision: 'approved', receipt: { type: 'passkey', id: key.id, key: key.key } })

  // The same signature, for the next card.
  const next = await cardIn(operator, card.sessionId)
  expect(await decide(next.toolUseId, passkey(signed))).toBe('proof_refused')
  expect(await decide(next.toolUseId, { confirmed: false })).toBe('ok')
  await operator.next('chat:done')
  expect(restarts()).toBe(1)
})

test('a signature in which one field lies decides nothing', async () => {
  const { door, operator, decide, challenge, key, restarts } = await opened({ cards: 2 })
  const card = await cardIn(operator)
  const other = await cardIn(operator)
  const stranger = createAuthenticator(door.origin)
  const optionsOf = async (id: string, grant?: GrantRequest) => {
    const { options } = await challenge(id, grant && { grant })
    if (options === undefined) throw new Error('A passkey can sign here.')
    return options
  }
  const flip = (which: 'authenticatorData' | 'clientDataJSON' | 'signature', at: number): Lies => ({
    tamper: ({ [which]: bytes }) => void bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at),
  })
  const lies: Lies[] = [
    { type: 'webauthn.create' },
    { challenge: Buffer.alloc(32).toString('base64url') },
    { origin: 'https://localhost.example' },
    { crossOrigin: true },
    { rpId: 'example.org' },
    { flags: 4 },
    { flags: 1 },
    { otherKey: true },
    flip('authenticatorData', 3),
    flip('authenticatorData', 36),
    flip('clientDataJSON', 4),
    flip('signature', 20),
  ]
  for (const lie of lies) {
    const refused = await decide(card.toolUseId, passkey(key.get(await optionsOf(card.toolUseId), lie)))
    expect([lie, refused]).toEqual([lie, 'proof_refused'])
  }
  // Another card's; another decision's; somebody else's key.
  expect(await decide(card.toolUseId, passkey(key.get(await optionsOf(other.toolUseId))))).toBe('proof_refused')
  const plain = await optionsOf(card.toolUseId)
  expect(await decide(card.toolUseId, { grant: { uses: 5 }, ...passkey(key.get(plain)) })).toBe('proof_refused')
  const granted = await optionsOf(card.toolUseId, { uses: 5 })
  expect(await decide(card.toolUseId, passkey(key.get(granted)))).toBe('proof_refused')
  expect(await decide(card.toolUseId, passkey(stranger.get(plain)))).toBe('proof_refused')
  expect(restarts()).toBe(0)
  expect(await decide(card.toolUseId, passkey(key.get(plain)))).toBe('ok')
})

test('an edited database enrols no key and approves no card', async () => {
  const { jarvis, door, operator, decide, challenge, key, restarts, dir } = await opened()
  const card = await cardIn(operator)
  const thief = createAuthenticator(door.origin)
  const sql = new Sqlite(join(dir, 'jarvis.db'))
  const copied = `INSERT INTO passkeys SELECT ?, person, user_handle, 'Thief', ?, cose, rp_id, 0, transports, 0, 0, NULL FROM passkeys`
  sql.prepare(copied).run(thief.id, thief.key)
  const sign = async (by: typeof key) => {
    const { options = { challenge: '' } } = await challenge(card.toolUseId)
    return decide(card.toolUseId, passkey(by.get(options)))
  }
  expect(await sign(thief)).toBe('proof_refused')

  // With an entry of the journal that fits its chain.
  type Last = { seq: number; hash: string }
  const append = (kind: string, body: object) => {
    const last = sql.prepare('SELECT seq, hash FROM journal ORDER BY seq DESC LIMIT 1').get() as Last
    const row = { seq: last.seq + 1, at: Date.now(), kind, body: JSON.stringify(body) }
    const insert = sql.prepare('INSERT INTO journal (seq, at, kind, body, hash) VALUES (?, ?, ?, ?, ?)')
    insert.run(row.seq, row.at, row.kind, row.body, hashOf(last.hash, row))
  }
  const added = { type: 'passkey', change: 'added', person: 'operator', id: thief.id, key: thief.key }
  const place = { rpId: 'localhost', origin: door.origin }
  append('signer', { ...added, ...place, trust: 'first', seal: '0'.repeat(64) })
  expect(await sign(thief)).toBe('proof_refused')
  const forged = { id: key.id, statement: '{"nonce":"x"}', authenticatorData: '', clientDataJSON: '', signature: '' }
  append('signer', { ...added, ...place, signedBy: forged })
  expect(await sign(thief)).toBe('proof_refused')

  // An approval in card and journal, while JARVIS is down.
  await jarvis.stop()
  const row = sql.prepare('SELECT binding_hash AS hash FROM confirmations').get() as { hash: string }
  sql.prepare(`UPDATE confirmations SET decision = 'approved', decided_by = 'operator', decided_at = 1`).run()
  append('decision', { toolUseId: card.toolUseId, bindingHash: row.hash, decision: 'approved', by: 'operator' })
  sql.close()
  const again = await opened({ dataDir: dir, isEnrolled: false })
  const { items } = await again.door.ask<{ items: { toolUseId: string; decision?: string; changed?: string }[] }>(
    'GET',
    '/confirmations',
  )
  expect(items.filter(({ decision }) => decision === undefined)).toMatchObject([
    { changed: expect.stringContaining('must be signed') },
  ])
  expect([restarts(), again.restarts()]).toEqual([0, 0])
})

test('a challenge outlives a restart, counts once, and decides nothing by itself', async () => {
  const first = await opened()
  const card = await cardIn(first.operator)
  const { options = { challenge: '' } } = await first.challenge(card.toolUseId)
  const port = first.door.origin
  await first.jarvis.stop()
  const second = await opened({ dataDir: first.dir, isEnrolled: false })
  expect(second.restarts()).toBe(0)
  const signed = first.key.get(options, { origin: port })
  expect(await second.decide(card.toolUseId, passkey(signed))).toBe('ok')
  await second.operator.ask('chat:attach', { sessionId: card.sessionId as never, since: 0 })
  await expect.poll(second.restarts).toBe(1)
  expect(await second.decide(card.toolUseId, passkey(signed))).toBe('already_decided')
})

test('a grant serves a card that must be signed only where its own approval was', async () => {
  const { operator, decide, challenge, key, restarts, dir } = await opened({ policy: '' })
  const card = await cardIn(operator)
  expect(card.proof).toBeUndefined()
  expect(await decide(card.toolUseId, { grant: { uses: 5 } })).toBe('ok')
  await operator.next('chat:done')
  writeFileSync(join(dir, 'policy.yaml'), 'proof: passkey\n')
  await expect.poll(async () => (await messaged(operator, card.sessionId))?.proof).toBe('passkey')

  const newest = operator.received.filter(({ event }) => event === 'chat:confirm_needed').at(-1)
    ?.payload as unknown as Card
  const before = restarts()
  const { options = { challenge: '' } } = await challenge(newest.toolUseId, { grant: { uses: 5 } })
  expect(await decide(newest.toolUseId, { grant: { uses: 5 }, ...passkey(key.get(options)) })).toBe('ok')
  await expect.poll(restarts).toBe(before + 1)
  await operator.ask('chat:send', { message: 'Again.', sessionId: card.sessionId as never })
  await expect.poll(restarts).toBe(before + 2)
})

/** A further message; the card that it leads to, where it leads to one. */
async function messaged(operator: Screen, sessionId: string): Promise<Card | undefined> {
  const known = operator.received.length
  await operator.ask('chat:send', { message: 'Again.', sessionId: sessionId as never })
  const later = () => operator.received.slice(known).map(({ event, payload }) => ({ event, payload }))
  const ends = ['chat:done', 'chat:confirm_needed']
  await expect.poll(() => later().some(({ event }) => ends.includes(event))).toBe(true)
  return later().find(({ event }) => event === 'chat:confirm_needed')?.payload as Card | undefined
}

type Line = { seq: number; at: number; kind: string; hash: string; body: Record<string, unknown> }

/** The lines with a chain that fits them, as somebody makes it who may write everything. */
function rechained(lines: readonly Line[]): Line[] {
  let last = '0'.repeat(64)
  return lines.map((line) => {
    last = hashOf(last, { ...line, body: JSON.stringify(line.body) })
    return { ...line, hash: last }
  })
}

test('an outsider verifies an export with one file, and each change in it is found', async () => {
  const { dir, door, jarvis, operator, decide, challenge, key } = await opened()
  const second = createAuthenticator(door.origin, { kind: 'ed25519', isSynced: true })
  const { countersign = { challenge: '' } } = await door.enrol(second, 'Second')
  await door.ask('POST', '/passkeys/countersign', { response: key.get(countersign) })
  const card = await cardIn(operator)
  const { options = { challenge: '' } } = await challenge(card.toolUseId)
  expect(await decide(card.toolUseId, passkey(second.get(options)))).toBe('ok')
  await operator.next('chat:done')
  expect(await door.ask('GET', '/journal/verify')).toMatchObject({ ok: true })
  await jarvis.stop()

  const sql = new Sqlite(join(dir, 'jarvis.db'))
  const rows = sql.prepare('SELECT * FROM journal ORDER BY seq').all() as (Line & { body: string })[]
  sql.close()
  const lines = rows.map((row): Line => ({ ...row, body: JSON.parse(row.body) as Record<string, unknown> }))
  const path = join(dir, 'export.jsonl')
  const run = (changed: readonly Line[], ...more: string[]) => {
    writeFileSync(path, changed.map((line) => `${JSON.stringify(line)}\n`).join(''))
    const { status, stdout } = spawnSync(process.execPath, [script, path, ...more], { encoding: 'utf8' })
    return { status, stdout }
  }
  const whole = run(lines)
  expect(whole.stdout).toContain('1 signed approvals that hold, 0 red calls that ran without one')
  expect(whole.status).toBe(0)
  expect(run(lines, '--trust', 'somebody-else').status).toBe(1)

  const { createVerifier } = (await import(script)) as {
    createVerifier(): { take(line: Line): void; result(): { problems: string[] } }
  }
  const outside = (changed: readonly Line[]) => {
    const verifier = createVerifier()
    for (const line of changed) verifier.take(line)
    return verifier.result().problems.length > 0
  }
  // Both verifiers, on journals that are whole but for what was signed.
  const server = (changed: readonly Line[]) => {
    const check = createSignatureCheck()
    return changed.map((line) => check({ ...line, body: JSON.stringify(line.body) })).find((why) => why !== undefined)
  }
  const edits: [string, (body: never) => unknown][] = [
    ['decision', (body: object) => Object.assign(body, { toolUseId: 'tu_other' })],
    ['decision', (body: object) => Object.assign(body, { bindingHash: '0'.repeat(64) })],
    ['decision', (body: object) => Object.assign(body, { by: 'per_other' })],
    ...receiptEdits.map((edit): [string, (body: never) => unknown] => [
      'decision',
      (body) => edit((body as Of).receipt),
    ]),
    ['signer', (body: { signedBy?: { signature: string } }) => flipped(body.signedBy ?? {}, 'signature')],
    ['signer', (body: { signedBy?: object }) => void delete body.signedBy],
    ['signer', (body: object) => Object.assign(body, { key: key.key })],
  ]
  for (const [kind, edit] of edits) {
    const copy = structuredClone(lines)
    edit((copy.findLast((line) => line.kind === kind) ?? { body: {} }).body as never)
    const changed = rechained(copy)
    expect([String(edit), outside(changed), server(changed) !== undefined]).toEqual([String(edit), true, true])
  }
  const cut = rechained(structuredClone(lines).map((line) => (line.kind === 'decision' ? unsignedLine(line) : line)))
  expect(run(cut).stdout).toContain('had to be signed and ran without a signature')
}, 120_000)

type Of = { receipt: Record<string, unknown> }
const unsignedLine = ({ body: { receipt: _, ...body }, ...line }: Line): Line => ({ ...line, body })
const flipped = (of: object, field: string) => {
  const bytes = Buffer.from(String((of as Record<string, unknown>)[field]), 'base64url')
  bytes.writeUInt8(bytes.readUInt8(12) ^ 1, 12)
  Object.assign(of, { [field]: bytes.toString('base64url') })
}
const receiptEdits: ((receipt: Record<string, unknown>) => void)[] = [
  ...['signature', 'authenticatorData', 'clientDataJSON', 'key', 'id'].map(
    (field) => (receipt: Record<string, unknown>) => flipped(receipt, field),
  ),
  (receipt) => Object.assign(receipt, { rpId: 'example.org' }),
  (receipt) => Object.assign(receipt, { card: { ...(receipt.card as object), sentence: 'Nothing happens.' } }),
  ...['nonce', 'origin', 'person', 'cardHash', 'expiresAt', 'decision'].map(
    (field) => (receipt: Record<string, unknown>) => {
      const statement = JSON.parse(String(receipt.statement)) as Record<string, unknown>
      receipt.statement = canonicalJson({ ...statement, [field]: field === 'expiresAt' ? 1 : 'other' })
    },
  ),
]
