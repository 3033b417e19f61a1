import { spawnSync } from 'node:child_process'
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sshKeyIn, sshKeyOf, sshSignatureOf, sshSignatureProblem } from 'signing/ssh-signature'
import { afterAll, expect, test } from 'vitest'
import { testWith } from '../../scripts/test-with.js'

const dir = mkdtempSync(join(tmpdir(), 'jarvis-ssh-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const namespace = 'decision@jarvis'
const message = '{"decision":"approved","toolUseId":"tu_1"}'

function ssh(args: string[], input = '') {
  const { status, stdout, stderr } = spawnSync('ssh-keygen', args, { input, encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return stdout
}

const keyTest = testWith('ssh-keygen')

/** A key pair of the real ssh-keygen, and what it signs. */
function made(name: string, ...how: string[]) {
  const path = join(dir, name)
  ssh(['-q', '-N', '', '-C', 'mira@laptop', '-f', path, ...how])
  const line = readFileSync(`${path}.pub`, 'utf8')
  return {
    line,
    key: sshKeyOf(line),
    fingerprint: ssh(['-l', '-f', `${path}.pub`]),
    sign: (text = message, space = namespace, ...more: string[]) =>
      sshSignatureOf(ssh(['-Y', 'sign', '-n', space, '-f', path, ...more], text)),
  }
}

const problem = (signature: string, blob: string, more: { namespace?: string; message?: string } = {}) =>
  sshSignatureProblem(signature, { blob, namespace, message, ...more })

keyTest.each([
  ['ed25519', ['-t', 'ed25519']],
  ['ecdsa', ['-t', 'ecdsa', '-b', '256']],
  ['rsa', ['-t', 'rsa', '-b', '2048']],
])('a signature that ssh-keygen made with a key of %s counts for its message, namespace and key alone', (name, how) => {
  const { key, sign, fingerprint, line } = made(name, ...how)
  const other = made(`${name}-other`, ...how)
  const signature = sign()
  expect(key).toMatchObject({ comment: 'mira@laptop', kind: line.split(' ')[0] })
  expect(fingerprint).toContain(key.id)
  expect(sshKeyIn(signature)).toBe(key.id)
  expect(problem(signature, key.blob)).toBeUndefined()
  expect(problem(sign(message, namespace, '-Ohashalg=sha256'), key.blob)).toBeUndefined()
  expect(problem(signature, key.blob, { message: `${message} ` })).toBe('The signature does not fit.')
  expect(problem(sign(message, 'file'), key.blob)).toContain('Sign with -n decision@jarvis.')
  expect(problem(signature, other.key.blob)).toBe('It was made with another key.')
  expect(problem(other.sign(), key.blob)).toBe('It was made with another key.')
})

keyTest('each byte of an SSH signature counts', () => {
  const { key, sign } = made('flipped', '-t', 'ed25519')
  const bytes = Buffer.from(sign(), 'base64url')
  for (let at = 0; at < bytes.length; at += 1) {
    const changed = Buffer.from(bytes)
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
    expect([at, problem(changed.toString('base64url'), key.blob) !== undefined]).toEqual([at, true])
  }
  for (const cut of [bytes.subarray(0, -1), Buffer.concat([bytes, Buffer.alloc(1)]), Buffer.alloc(0)])
    expect(problem(cut.toString('base64url'), key.blob)).toBeDefined()
})

test.each([
  ['', /^Nothing is no kind of key/],
  ['ssh-dss AAAAB3NzaC1kc3M=', /^ssh-dss is no kind of key/],
  ['constructor AAAA', /^constructor is no kind of key/],
  ['ssh-ed25519 AAAA', /cannot be read/],
  ['ssh-ed25519', /cannot be read/],
  ['-----BEGIN OPENSSH PRIVATE KEY-----', /no kind of key/],
])('%j is not taken for a key', (line, why) => {
  expect(() => sshKeyOf(line)).toThrow(why)
})

keyTest('an RSA key of 1024 bits and a line with another kind than its key are refused', () => {
  expect(() => made('short', '-t', 'rsa', '-b', '1024')).toThrow('2048 bits')
  const { line } = made('named', '-t', 'ecdsa', '-b', '256')
  expect(() => sshKeyOf(line.replace('ecdsa-sha2-nistp256', 'ssh-ed25519'))).toThrow('another kind')
})

const withLength = (bytes: Uint8Array | string) => {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(Buffer.byteLength(bytes))
  return Buffer.concat([length, Buffer.from(bytes as string)])
}
const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest()

/** A key on a security key, as its firmware signs (PROTOCOL.u2f of OpenSSH). @param flags 1: touched, 4: verified */
function onSecurityKey(kind: 'ed25519' | 'ec') {
  const pair = (
    kind === 'ec' ? generateKeyPairSync('ec', { namedCurve: 'P-256' }) : generateKeyPairSync('ed25519')
  ) as { publicKey: KeyObject; privateKey: KeyObject }
  const { x = '', y = '' } = pair.publicKey.export({ format: 'jwk' }) as { x?: string; y?: string }
  const [name, point] =
    kind === 'ec'
      ? [
          'sk-ecdsa-sha2-nistp256@openssh.com',
          Buffer.concat([Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]),
        ]
      : ['sk-ssh-ed25519@openssh.com', Buffer.from(x, 'base64url')]
  const blob = Buffer.concat([
    withLength(name),
    ...(kind === 'ec' ? [withLength('nistp256')] : []),
    withLength(point),
    withLength('ssh:'),
  ])
  return {
    line: `${name} ${blob.toString('base64')} key`,
    sign(flags: number): string {
      const digest = createHash('sha512').update(message).digest()
      const signed = Buffer.concat([Buffer.from('SSHSIG'), ...[namespace, '', 'sha512', digest].map(withLength)])
      const tail = Buffer.from([flags, 0, 0, 0, 7])
      const bytes = Buffer.concat([sha256('ssh:'), tail, sha256(signed)])
      const plain = sign(kind === 'ec' ? 'sha256' : null, bytes, { key: pair.privateKey, dsaEncoding: 'ieee-p1363' })
      const number = (half: Buffer) => withLength((half[0] ?? 0) > 127 ? Buffer.concat([Buffer.alloc(1), half]) : half)
      const inner = kind === 'ec' ? Buffer.concat([number(plain.subarray(0, 32)), number(plain.subarray(32))]) : plain
      const version = Buffer.from([0, 0, 0, 1])
      const wrapped = Buffer.concat([withLength(name), withLength(inner), tail])
      const parts = [blob, namespace, '', 'sha512', wrapped].map(withLength)
      return Buffer.concat([Buffer.from('SSHSIG'), version, ...parts]).toString('base64url')
    },
  }
}

test.each(['ed25519', 'ec'] as const)(
  'a security key (%s) must have been touched and have asked who is there',
  (kind) => {
    const device = onSecurityKey(kind)
    const { blob, id } = sshKeyOf(device.line)
    expect(problem(device.sign(5), blob)).toBeUndefined()
    expect(problem(device.sign(4), blob)).toBe('Nobody touched the security key.')
    expect(problem(device.sign(1), blob)).toContain('verify-required')
    // The real one agrees with what was made here.
    const armored = `-----BEGIN SSH SIGNATURE-----\n${Buffer.from(device.sign(5), 'base64url').toString('base64')}\n-----END SSH SIGNATURE-----\n`
    writeFileSync(join(dir, 'allowed'), `mira ${device.line}\n`)
    writeFileSync(join(dir, 'sig'), armored)
    const args = ['-Y', 'verify', '-f', join(dir, 'allowed'), '-I', 'mira', '-n', namespace, '-s', join(dir, 'sig')]
    expect(ssh(args, message)).toContain(`Good "${namespace}" signature`)
    expect(sshKeyIn(sshSignatureOf(armored))).toBe(id)
  },
)
