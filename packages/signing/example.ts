import { generateKeyPairSync, sign } from 'node:crypto'
import { hashOf } from 'node-kit/canonical'
import { statementText } from 'signing/decision'
import { type Receipt, receiptProblem } from 'signing/receipt'

const card = { sentence: 'Stop VM 103.' }
const statement = statementText({
  toolUseId: 'tu_1',
  bindingHash: hashOf({ name: 'stop_vm', input: { vmid: 103 } }),
  cardHash: hashOf(card),
  decision: 'approved',
  person: 'mira',
  origin: 'https://jarvis.example',
  nonce: 'AAAA',
  head: { seq: 7, hash: hashOf({}) },
  expiresAt: 1_800_000_000_000,
})
const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const receipt: Receipt = {
  type: 'device',
  id: 'phone',
  key: publicKey.export({ type: 'spki', format: 'der' }).toString('base64url'),
  statement,
  card,
  signature: sign('sha256', Buffer.from(`jarvis-device-v1\0${statement}`), {
    key: privateKey,
    dsaEncoding: 'ieee-p1363',
  }).toString('base64url'),
}

/** Checks a signed decision for its person, for another person, and with another card. */
export const example = (): (string | undefined)[] => [
  receiptProblem(receipt, { toolUseId: 'tu_1', person: 'mira' }),
  receiptProblem(receipt, { toolUseId: 'tu_1', person: 'noor' }),
  receiptProblem({ ...receipt, card: { sentence: 'Start VM 103.' } }, { toolUseId: 'tu_1', person: 'mira' }),
]
