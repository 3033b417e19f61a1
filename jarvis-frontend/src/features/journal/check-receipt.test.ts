import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { expect, test } from 'vitest'
import { checkReceipt, fingerprintOf, type Receipt, receiptIn } from './check-receipt.ts'

const sha256 = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest()
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')

/** A receipt as the journal keeps it, by a key of that kind. */
function made(kind: 'ec' | 'rsa' | 'device', flags = 5): Receipt {
  const { publicKey, privateKey } = (
    kind === 'rsa'
      ? generateKeyPairSync('rsa', { modulusLength: 2_048 })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' })
  ) as { publicKey: KeyObject; privateKey: KeyObject }
  const card = { toolName: 'restart_vm', sentence: 'Restart VM 103.' }
  const cardHash = sha256('{"sentence":"Restart VM 103.","toolName":"restart_vm"}').toString('hex')
  const head = { seq: 7, hash: 'ab' }
  const origin = 'https://jarvis.lan'
  const statement = JSON.stringify({ cardHash, decision: 'approved', expiresAt: 9, head, origin, person: 'operator' })
  const base = { id: 'k', key: text(publicKey.export({ type: 'spki', format: 'der' })), card, statement }
  if (kind === 'device') {
    const bytes = Buffer.from(`jarvis-device-v1\0${statement}`)
    const signature = sign('sha256', bytes, { key: privateKey, dsaEncoding: 'ieee-p1363' })
    return { ...base, type: 'device', signature: text(signature) }
  }
  const challenge = text(sha256(`jarvis-decision-v1\0${statement}`))
  const client = Buffer.from(JSON.stringify({ type: 'webauthn.get', challenge, origin }))
  const data = Buffer.concat([sha256('jarvis.lan'), Buffer.from([flags, 0, 0, 0, 1])])
  const signature = sign('sha256', Buffer.concat([data, sha256(client)]), privateKey)
  const bytes = { clientDataJSON: text(client), authenticatorData: text(data), signature: text(signature) }
  return { ...base, type: 'passkey', rpId: 'jarvis.lan', ...bytes }
}

const flipped = (value: string, at: number) => {
  const bytes = Buffer.from(value, 'base64url')
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at)
  return text(bytes)
}

test.each(['ec', 'rsa', 'device'] as const)('a receipt by a key of %s holds, and no changed one does', async (kind) => {
  // Numbers of a signature have leading zeros now and then.
  for (let tries = 0; tries < (kind === 'ec' ? 40 : 1); tries += 1)
    expect(await checkReceipt(made(kind))).toEqual({ is: 'whole' })
  const receipt = made(kind)
  const changes: Partial<Receipt>[] = [
    { card: { ...receipt.card, sentence: 'Nothing happens.' } },
    { statement: receipt.statement.replace('approved', 'denied') },
    { statement: 'no JSON' },
    { signature: flipped(receipt.signature, 12) },
    ...(kind === 'device'
      ? []
      : [
          { rpId: 'example.org' },
          { clientDataJSON: flipped(receipt.clientDataJSON ?? '', 4) },
          { authenticatorData: flipped(receipt.authenticatorData ?? '', 33) },
        ]),
  ]
  for (const change of changes) {
    const checked = await checkReceipt({ ...receipt, ...change })
    expect([change, checked.is]).toEqual([change, 'broken'])
  }
})

test('a key that did not ask who is there signs nothing, and what this browser cannot check is said to be so', async () => {
  expect(await checkReceipt(made('ec', 1))).toMatchObject({ is: 'broken' })
  expect(await checkReceipt({ ...made('ec'), type: 'ssh' })).toEqual({ is: 'unchecked' })
  const { key } = made('ec')
  expect(await fingerprintOf({ key })).toBe(text(sha256(Buffer.from(key, 'base64url'))))
  expect([receiptIn(undefined), receiptIn({ receipt: {} }), receiptIn('text')]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})
