import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import type { PasskeyAssertion, PasskeyRegistration, WebAuthnOptions } from 'protocol'

/** Lies of an authenticator or its browser, each in place of the truth. */
export type Lies = {
  type?: string
  challenge?: string
  origin?: string
  crossOrigin?: boolean
  rpId?: string
  /** 1: present, 4: verified. */
  flags?: number
  counter?: number
  /** Signs with another key than the enrolled one. */
  otherKey?: true
  userHandle?: string
  /** Signs other bytes than it sends. */
  tamper?(parts: { authenticatorData: Buffer; clientDataJSON: Buffer; signature: Buffer }): void
}

const sha256 = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest()
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')

/** A passkey on node:crypto, in a browser that is at `origin`. It counts its uses, unless it is synced. */
export function createAuthenticator(
  origin: string,
  { kind = 'ec', isSynced = false }: { kind?: 'ec' | 'ed25519'; isSynced?: boolean } = {},
) {
  const make = () =>
    kind === 'ec' ? generateKeyPairSync('ec', { namedCurve: 'P-256' }) : generateKeyPairSync('ed25519')
  const { publicKey, privateKey } = make() as { publicKey: KeyObject; privateKey: KeyObject }
  const id = randomBytes(16)
  let uses = 0
  let userHandle: string | undefined
  const backup = isSynced ? 0x18 : 0

  function dataOf({ rpId, flags, counter }: Lies, known: string): Buffer {
    if (!isSynced) uses += 1
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter ?? uses)
    return Buffer.concat([sha256(rpId ?? known), Buffer.from([(flags ?? 5) | backup]), count])
  }
  const clientDataOf = (type: string, options: WebAuthnOptions, lies: Lies) =>
    Buffer.from(
      JSON.stringify({
        type: lies.type ?? type,
        challenge: lies.challenge ?? options.challenge,
        origin: lies.origin ?? origin,
        crossOrigin: lies.crossOrigin ?? false,
      }),
    )
  return {
    id: text(id),
    privateKey,
    /** SPKI, DER in base64url. */
    key: publicKey.export({ type: 'spki', format: 'der' }).toString('base64url'),
    create(options: WebAuthnOptions, lies: Lies = {}): PasskeyRegistration {
      const { rp, user } = options as { rp?: { id: string }; user?: { id: string } }
      userHandle = user?.id
      const base = dataOf(lies, rp?.id ?? 'localhost')
      base[32] = (base[32] ?? 0) | 0x40
      const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, coseOf(publicKey)])
      const authData = Buffer.concat([base, credential])
      const attestation = cbor(
        new Map<string, unknown>([
          ['fmt', 'none'],
          ['attStmt', new Map()],
          ['authData', authData],
        ]),
      )
      const clientDataJSON = text(clientDataOf('webauthn.create', options, lies))
      return {
        id: text(id),
        rawId: text(id),
        type: 'public-key',
        response: { clientDataJSON, attestationObject: text(attestation), transports: ['internal'] },
      }
    },
    get(options: WebAuthnOptions, lies: Lies = {}): PasskeyAssertion {
      const { rpId = 'localhost' } = options as { rpId?: string }
      const clientDataJSON = clientDataOf('webauthn.get', options, lies)
      const authenticatorData = dataOf(lies, rpId)
      const key = lies.otherKey ? (make() as { privateKey: KeyObject }).privateKey : privateKey
      const signed = Buffer.concat([authenticatorData, sha256(clientDataJSON)])
      const signature = sign(kind === 'ec' ? 'sha256' : null, signed, key)
      lies.tamper?.({ authenticatorData, clientDataJSON, signature })
      const handle = lies.userHandle ?? userHandle
      return {
        id: text(id),
        rawId: text(id),
        type: 'public-key',
        response: {
          clientDataJSON: text(clientDataJSON),
          authenticatorData: text(authenticatorData),
          signature: text(signature),
          ...(handle !== undefined && { userHandle: handle }),
        },
      }
    },
  }
}
export type Authenticator = ReturnType<typeof createAuthenticator>

function coseOf(key: KeyObject): Buffer {
  const { kty, x = '', y = '' } = key.export({ format: 'jwk' }) as { kty: string; x?: string; y?: string }
  const bytes = (value: string) => Buffer.from(value, 'base64url')
  const pairs: [number, unknown][] =
    kty === 'EC'
      ? [
          ...([
            [1, 2],
            [3, -7],
            [-1, 1],
          ] as [number, number][]),
          [-2, bytes(x)],
          [-3, bytes(y)],
        ]
      : [
          ...([
            [1, 1],
            [3, -8],
            [-1, 6],
          ] as [number, number][]),
          [-2, bytes(x)],
        ]
  return cbor(new Map(pairs))
}

/** Enough of CBOR for an attestation: small integers, texts, bytes and maps. */
function cbor(value: unknown): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value])
  const entries = [...(value as Map<unknown, unknown>)]
  return Buffer.concat([head(5, entries.length), ...entries.flat().map(cbor)])
}

function head(major: number, count: number): Buffer {
  if (count < 24) return Buffer.from([(major << 5) | count])
  return count < 256
    ? Buffer.from([(major << 5) | 24, count])
    : Buffer.from([(major << 5) | 25, count >> 8, count & 255])
}
