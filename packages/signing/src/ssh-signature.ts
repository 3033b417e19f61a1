import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto'
import { sha256 } from './assertion.ts'

/** An OpenSSH public key. `blob`: the key data of its line, base64url. `id`: its fingerprint, in the form of `ssh-keygen -l`. */
export type SshKey = { kind: string; blob: string; id: string; comment: string }

/** Namespaces for `ssh-keygen -Y sign -n`: for a decision, and for another key of the same person. */
export const sshNamespaces = { decision: 'decision@jarvis', signer: 'signer@jarvis' } as const

/** Thrown if an OpenSSH key or signature cannot be used; the message is a sentence with the reason. */
export class SshProblem extends Error {}

const kinds: Record<string, (parts: Reader) => KeyObject> = {
  'ssh-ed25519': (parts) => okp(parts.bytes()),
  'sk-ssh-ed25519@openssh.com': (parts) => okp(parts.bytes()),
  'ecdsa-sha2-nistp256': (parts) => p256(parts),
  'sk-ecdsa-sha2-nistp256@openssh.com': (parts) => p256(parts),
  'ssh-rsa'(parts) {
    const e = withoutZeros(parts.bytes()).toString('base64url')
    const n = withoutZeros(parts.bytes()).toString('base64url')
    const key = createPublicKey({ key: { kty: 'RSA', n, e }, format: 'jwk' })
    if ((key.asymmetricKeyDetails?.modulusLength ?? 0) < leastRsaBits)
      throw new SshProblem(`An RSA key needs ${leastRsaBits} bits at least.`)
    return key
  },
}
const leastRsaBits = 2_048
const userPresent = 0x01
const userVerified = 0x04

/** Reads a line of a `.pub` file. @throws SshProblem */
export function sshKeyOf(line: string): SshKey {
  const [kind = '', base64 = '', ...comment] = line.trim().split(/\s+/)
  if (!Object.hasOwn(kinds, kind))
    throw new SshProblem(
      `${kind.slice(0, 60) || 'Nothing'} is no kind of key that JARVIS checks. Use a line of a .pub file: ${Object.keys(kinds).join(', ')}.`,
    )
  const bytes = Buffer.from(base64, 'base64')
  const blob = bytes.toString('base64url')
  if (openKey(blob).kind !== kind) throw new SshProblem('The line names another kind of key than the key itself.')
  return { kind, blob, id: fingerprintOf(bytes), comment: comment.join(' ') }
}

/** The bytes of an armored signature (`-----BEGIN SSH SIGNATURE-----`), base64url. @throws SshProblem */
export function sshSignatureOf(armored: string): string {
  const [, base64 = ''] =
    /^\s*-----BEGIN SSH SIGNATURE-----\s([\w+/=\s]+)-----END SSH SIGNATURE-----\s*$/.exec(armored) ?? []
  if (base64 === '') throw new SshProblem('It is no SSH signature: -----BEGIN SSH SIGNATURE----- is missing.')
  return Buffer.from(base64.replace(/\s/g, ''), 'base64').toString('base64url')
}

/** The fingerprint of the key that a signature names (base64url). @throws SshProblem */
export function sshKeyIn(signature: string): string {
  try {
    const read = reader(Buffer.from(signature, 'base64url'))
    read.take(10)
    return fingerprintOf(read.bytes())
  } catch {
    throw new SshProblem('The SSH signature cannot be read.')
  }
}

const fingerprintOf = (blob: Buffer) =>
  `SHA256:${sha256(blob)
    .toString('base64')
    .replace(/(?<!=)=+$/, '')}`

/**
 * Checks a signature of `ssh-keygen -Y sign` (OpenSSH, PROTOCOL.sshsig): key, namespace, hash, algorithm and signature. For a key on a security key,
 * the person must have touched the security key and entered its PIN or a fingerprint. @param signature base64url @param expected `blob`: of the
 * enrolled key @returns the reason why it is not valid; undefined if it is
 */
export function sshSignatureProblem(
  signature: string,
  expected: { blob: string; namespace: string; message: string },
): string | undefined {
  try {
    const read = reader(Buffer.from(signature, 'base64url'))
    if (read.take(6).toString('latin1') !== 'SSHSIG' || read.take(4).readUInt32BE() !== 1)
      return 'It is no SSH signature.'
    const [key, namespace, reserved, hash, made] = [
      read.bytes(),
      read.bytes(),
      read.bytes(),
      read.bytes(),
      read.bytes(),
    ]
    if (!read.isOver()) return 'The SSH signature has more than it should.'
    if (key.toString('base64url') !== expected.blob) return 'It was made with another key.'
    if (namespace.toString() !== expected.namespace)
      return `It was made for ${JSON.stringify(namespace.toString().slice(0, 60))}. Sign with -n ${expected.namespace}.`
    const hashName = hash.toString()
    if (hashName !== 'sha256' && hashName !== 'sha512') return 'Its hash is neither sha256 nor sha512.'
    const digest = createHash(hashName).update(expected.message).digest()
    const signed = [Buffer.from('SSHSIG'), ...[namespace, reserved, hash, digest].map(withLength)]
    return keyProblem(openKey(expected.blob), reader(made), Buffer.concat(signed))
  } catch (error) {
    return error instanceof SshProblem ? error.message : 'The SSH signature cannot be read.'
  }
}

type OpenKey = { kind: string; key: KeyObject; application: Buffer | undefined }

function openKey(blob: string): OpenKey {
  try {
    const parts = reader(Buffer.from(blob, 'base64url'))
    const kind = parts.bytes().toString()
    const open = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined
    if (open === undefined) throw new SshProblem('It is no kind of key that JARVIS checks.')
    const key = open(parts)
    const application = kind.startsWith('sk-') ? parts.bytes() : undefined
    if (!parts.isOver()) throw new SshProblem('The key has more than it should.')
    return { kind, key, application }
  } catch (error) {
    throw error instanceof SshProblem ? error : new SshProblem('The key cannot be read.')
  }
}

function keyProblem({ kind, key, application }: OpenKey, made: Reader, message: Buffer): string | undefined {
  const algorithm = made.bytes().toString()
  // SHA-1 (`ssh-rsa`) is refused.
  const known = kind === 'ssh-rsa' ? ['rsa-sha2-512', 'rsa-sha2-256'] : [kind]
  if (!known.includes(algorithm))
    return `It was made by ${JSON.stringify(algorithm.slice(0, 60))}, which is not accepted.`
  const signature = made.bytes()
  let signed = message
  if (application !== undefined) {
    const tail = made.take(5)
    const flags = tail[0] ?? 0
    if ((flags & userPresent) === 0) return 'Nobody touched the security key.'
    if ((flags & userVerified) === 0)
      return 'The security key did not ask who is there. Make the key with ssh-keygen -O verify-required.'
    signed = Buffer.concat([sha256(application), tail, sha256(message)])
  }
  if (!made.isOver()) return 'The SSH signature has more than it should.'
  const digest = key.asymmetricKeyType === 'ed25519' ? null : algorithm === 'rsa-sha2-512' ? 'sha512' : 'sha256'
  const isFit =
    key.asymmetricKeyType === 'ec'
      ? verify(digest, signed, { key, dsaEncoding: 'ieee-p1363' }, plainEcdsa(reader(signature)))
      : verify(digest, signed, key, signature)
  return isFit ? undefined : 'The signature does not fit.'
}

/** Returns r and s of a signature, 32 bytes each. */
function plainEcdsa(parts: Reader): Buffer {
  const both = [parts.bytes(), parts.bytes()].map((number) => {
    const bare = withoutZeros(number)
    if (bare.length > 32) throw new SshProblem('The signature does not fit.')
    return Buffer.concat([Buffer.alloc(32 - bare.length), bare])
  })
  return Buffer.concat(both)
}

function okp(x: Buffer): KeyObject {
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: x.toString('base64url') }, format: 'jwk' })
}

function p256(parts: Reader): KeyObject {
  const curve = parts.bytes().toString()
  const point = parts.bytes()
  if (curve !== 'nistp256' || point.length !== 65 || point[0] !== 4) throw new SshProblem('The key cannot be read.')
  const x = point.subarray(1, 33).toString('base64url')
  const y = point.subarray(33).toString('base64url')
  return createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' })
}

const withoutZeros = (number: Buffer) => number.subarray(number.findIndex((byte) => byte !== 0))

const withLength = (bytes: Buffer) => {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}

type Reader = ReturnType<typeof reader>

/** Reads SSH's wire format (RFC 4251, section 5). @throws RangeError if the data ends too early */
function reader(from: Buffer) {
  let at = 0
  const take = (count: number) => {
    if (at + count > from.length) throw new RangeError('cut off')
    at += count
    return from.subarray(at - count, at)
  }
  return { take, bytes: () => take(take(4).readUInt32BE()), isOver: () => at === from.length }
}
