/** The journal's record of a signed decision. Bytes are base64url. */
export type Receipt = {
  type: string
  id: string
  /** The public key: for a passkey or device as DER-encoded SPKI, for an SSH key as its key blob. */
  key: string
  rpId?: string
  statement: string
  card: Record<string, unknown>
  clientDataJSON?: string
  authenticatorData?: string
  signature: string
}

/** The statement that a person signed. */
export type Statement = {
  decision: string
  person: string
  origin: string
  cardHash: string
  head: { seq: number; hash: string }
  expiresAt: number
}

/** The result of a check. `unchecked`: this browser cannot check the signature, so the server's check of the whole journal decides. */
export type Checked = { is: 'whole' | 'unchecked' } | { is: 'broken'; why: string }

export function receiptIn(body: unknown): Receipt | undefined {
  const { receipt } = (typeof body === 'object' && body !== null ? body : {}) as { receipt?: Receipt }
  return typeof receipt?.statement === 'string' && typeof receipt.key === 'string' ? receipt : undefined
}

export function statementIn({ statement }: Pick<Receipt, 'statement'>): Statement | undefined {
  try {
    const said = JSON.parse(statement) as Statement
    return typeof said.head.seq === 'number' && typeof said.expiresAt === 'number' ? said : undefined
  } catch {
    return undefined
  }
}

const utf8 = (text: string) => new TextEncoder().encode(text)
function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0))
}
const base64Url = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
const hex = (bytes: Uint8Array) => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
const sha256 = async (bytes: Uint8Array<ArrayBuffer>) => new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))

/** SHA-256 of the key, base64url, as `verify-decisions.mjs` prints it; undefined if the browser cannot compute it. */
export const fingerprintOf = async ({ key }: Pick<Receipt, 'key'>): Promise<string | undefined> =>
  hasCrypto() ? base64Url(await sha256(bytesOf(key))) : undefined

/** True if the page has `crypto.subtle`: only pages over https or from localhost do. */
const hasCrypto = () => 'crypto' in globalThis && 'subtle' in crypto

/** Serializes JSON with sorted keys and no spaces, in the form that the server hashes. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`).join(',')}}`
}

/** Checks one receipt with the browser's own cryptography: the card, the signed statement and the signature. */
export async function checkReceipt(receipt: Receipt): Promise<Checked> {
  const said = statementIn(receipt)
  if (said === undefined) return broken('What was signed cannot be read.')
  if (!hasCrypto() || (receipt.type !== 'passkey' && receipt.type !== 'device')) return { is: 'unchecked' }
  try {
    if (hex(await sha256(utf8(canonical(receipt.card)))) !== said.cardHash) return broken('Another card was signed.')
    return await (receipt.type === 'device' ? checkDevice(receipt) : checkPasskey(receipt, said))
  } catch (error) {
    // The browser does not support the algorithm, such as Ed25519.
    if (error instanceof DOMException && error.name === 'NotSupportedError') return { is: 'unchecked' }
    return broken('It cannot be read.')
  }
}

const broken = (why: string): Checked => ({ is: 'broken', why })
const fits = (isFit: boolean): Checked => (isFit ? { is: 'whole' } : broken('The signature does not fit.'))

async function checkDevice({ key, statement, signature }: Receipt): Promise<Checked> {
  const imported = await crypto.subtle.importKey('spki', bytesOf(key), { name: 'ECDSA', namedCurve: 'P-256' }, false, [
    'verify',
  ])
  const signed = utf8(`jarvis-device-v1\0${statement}`)
  return fits(await crypto.subtle.verify({ name: 'ECDSA', hash: 'SHA-256' }, imported, bytesOf(signature), signed))
}

async function checkPasskey(receipt: Receipt, { origin }: Statement): Promise<Checked> {
  const client = bytesOf(receipt.clientDataJSON ?? '')
  const data = bytesOf(receipt.authenticatorData ?? '')
  const said = JSON.parse(new TextDecoder().decode(client)) as { type?: string; challenge?: string; origin?: string }
  const challenge = base64Url(await sha256(utf8(`jarvis-decision-v1\0${receipt.statement}`)))
  if (said.type !== 'webauthn.get' || said.challenge !== challenge) return broken('Something else was signed.')
  if (said.origin !== origin) return broken('It was signed at another address.')
  if (hex(data.slice(0, 32)) !== hex(await sha256(utf8(receipt.rpId ?? ''))))
    return broken('It was signed for another name.')
  if (((data[32] ?? 0) & 5) !== 5) return broken('Nobody was there, or the key did not ask who is.')
  const signed = new Uint8Array([...data, ...(await sha256(client))])
  const spki = bytesOf(receipt.key)
  const [algorithm, how] = algorithmOf(spki)
  const key = await crypto.subtle.importKey('spki', spki, algorithm, false, ['verify'])
  const made = bytesOf(receipt.signature)
  return fits(await crypto.subtle.verify(how, key, how.name === 'ECDSA' ? plainOf(made) : made, signed))
}

type Algorithm = { name: string; hash?: string; namedCurve?: string }

/** Returns the algorithm of a key by the identifier in its bytes: P-256, Ed25519, otherwise RSA. */
function algorithmOf(spki: Uint8Array): [Algorithm, Algorithm] {
  const start = hex(spki.slice(0, 30))
  if (start.includes('06072a8648ce3d0201'))
    return [
      { name: 'ECDSA', namedCurve: 'P-256' },
      { name: 'ECDSA', hash: 'SHA-256' },
    ]
  if (start.includes('06032b6570')) return [{ name: 'Ed25519' }, { name: 'Ed25519' }]
  return [{ name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }, { name: 'RSASSA-PKCS1-v1_5' }]
}

/** Converts a DER signature to r and s of 32 bytes each, the form that WebCrypto needs. */
function plainOf(der: Uint8Array): Uint8Array<ArrayBuffer> {
  const plain = new Uint8Array(64)
  let at = 2
  for (const end of [32, 64]) {
    const length = der[at + 1] ?? 0
    const number = der.slice(at + 2, at + 2 + length)
    const bare = number.slice(Math.max(0, number.length - 32))
    plain.set(bare, end - bare.length)
    at += 2 + length
  }
  return plain
}
