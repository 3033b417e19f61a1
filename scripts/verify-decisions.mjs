#!/usr/bin/env node
// Checks the signed decisions of an exported journal. It needs Node alone and nothing of JARVIS:
//   npm run jarvis -- journal export journal.jsonl
//   node verify-decisions.mjs journal.jsonl [--trust FINGERPRINT]...
// Exit 0: every receipt and the chain hold. 1: one does not. 2: used wrongly.
// docs/signed-decisions.md says what this proves and what it does not.
import { createHash, createPublicKey, verify } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'

const sha256 = (bytes) => createHash('sha256').update(bytes).digest()
const bytesOf = (text) => Buffer.from(String(text), 'base64url')
const fingerprintOf = (key) => sha256(bytesOf(key)).toString('base64url')
/** A fingerprint as ssh-keygen prints it, or as this program does. */
const plainFingerprint = (text) =>
  text
    .replace(/^SHA256:/, '')
    .replaceAll('+', '-')
    .replaceAll('/', '_')

/** JSON with sorted keys and no spaces. */
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const keys = Object.keys(value).filter((key) => value[key] !== undefined)
  return `{${keys
    .sort((a, b) => (a < b ? -1 : 1))
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`)
    .join(',')}}`
}
const hashOf = (value) => sha256(canonical(value)).toString('hex')

function isSigned(bytes, spki, signature) {
  try {
    const key = createPublicKey({ key: bytesOf(spki), format: 'der', type: 'spki' })
    return verify(key.asymmetricKeyType === 'ed25519' ? null : 'sha256', bytes, key, bytesOf(signature))
  } catch {
    return false
  }
}

/** Why a WebAuthn assertion does not count; undefined where it does. */
function assertionProblem({ authenticatorData, clientDataJSON, signature }, { key, rpId, origin, challenge }) {
  const data = bytesOf(authenticatorData)
  let said
  try {
    said = JSON.parse(bytesOf(clientDataJSON).toString('utf8'))
  } catch {
    return 'its client data cannot be read'
  }
  if (said.type !== 'webauthn.get') return 'it is no assertion'
  if (said.challenge !== challenge) return 'it signs something else'
  if (said.origin !== origin || said.crossOrigin === true) return 'it was made at another origin'
  if (data.length < 37 || !data.subarray(0, 32).equals(sha256(String(rpId)))) return 'it was made for another RP ID'
  if ((data[32] & 1) === 0) return 'nobody was present'
  if ((data[32] & 4) === 0) return 'the person was not verified'
  const signed = Buffer.concat([data, sha256(bytesOf(clientDataJSON))])
  return isSigned(signed, key, signature) ? undefined : 'the signature does not fit'
}

/** Reads the wire form of SSH. @throws RangeError behind the end */
function reader(from) {
  let at = 0
  const take = (count) => {
    if (at + count > from.length) throw new RangeError('cut off')
    at += count
    return from.subarray(at - count, at)
  }
  return { take, bytes: () => take(take(4).readUInt32BE()), isOver: () => at === from.length }
}
const bare = (number) => number.subarray(number.findIndex((byte) => byte !== 0))
const withLength = (bytes) => {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}

/** A public key of OpenSSH by its blob. */
function openSshKey(blob) {
  const parts = reader(bytesOf(blob))
  const kind = parts.bytes().toString()
  const jwk = (key) => createPublicKey({ key, format: 'jwk' })
  const text = (bytes) => bytes.toString('base64url')
  let key
  if (/^(sk-)?ssh-ed25519(@openssh\.com)?$/.test(kind))
    key = jwk({ kty: 'OKP', crv: 'Ed25519', x: text(parts.bytes()) })
  else if (/^(sk-)?ecdsa-sha2-nistp256(@openssh\.com)?$/.test(kind)) {
    parts.bytes()
    const point = parts.bytes()
    key = jwk({ kty: 'EC', crv: 'P-256', x: text(point.subarray(1, 33)), y: text(point.subarray(33)) })
  } else if (kind === 'ssh-rsa') {
    const e = text(bare(parts.bytes()))
    key = jwk({ kty: 'RSA', e, n: text(bare(parts.bytes())) })
  } else throw new TypeError('unknown kind of key')
  return { kind, key, application: kind.startsWith('sk-') ? parts.bytes() : undefined }
}

/** Why what `ssh-keygen -Y sign` made does not count; undefined where it does. */
function sshProblem(signature, { blob, namespace, message }) {
  const read = reader(bytesOf(signature))
  if (read.take(6).toString('latin1') !== 'SSHSIG' || read.take(4).readUInt32BE() !== 1) return 'it is no SSH signature'
  const [key, space, reserved, hash, made] = [0, 0, 0, 0, 0].map(() => read.bytes())
  if (!read.isOver()) return 'it has more than it should'
  if (key.toString('base64url') !== blob) return 'it was made with another key'
  if (space.toString() !== namespace) return 'it was made in another namespace'
  if (!['sha256', 'sha512'].includes(hash.toString())) return 'its hash is not known'
  const digest = createHash(hash.toString()).update(message).digest()
  let signed = Buffer.concat([Buffer.from('SSHSIG'), ...[space, reserved, hash, digest].map(withLength)])
  const known = openSshKey(blob)
  const inner = reader(made)
  const algorithm = inner.bytes().toString()
  const expected = known.kind === 'ssh-rsa' ? ['rsa-sha2-512', 'rsa-sha2-256'] : [known.kind]
  if (!expected.includes(algorithm)) return 'its algorithm is not accepted'
  const bytes = inner.bytes()
  if (known.application !== undefined) {
    const tail = inner.take(5)
    if ((tail[0] & 1) === 0) return 'nobody touched the security key'
    if ((tail[0] & 4) === 0) return 'the person was not verified'
    signed = Buffer.concat([sha256(known.application), tail, sha256(signed)])
  }
  if (!inner.isOver()) return 'it has more than it should'
  const type = known.key.asymmetricKeyType
  const name = type === 'ed25519' ? null : algorithm === 'rsa-sha2-512' ? 'sha512' : 'sha256'
  if (type !== 'ec') return verify(name, signed, known.key, bytes) ? undefined : 'the signature does not fit'
  const numbers = reader(bytes)
  const plain = [numbers.bytes(), numbers.bytes()].map((one) =>
    Buffer.concat([Buffer.alloc(32), bare(one)]).subarray(-32),
  )
  const isFit = verify(name, signed, { key: known.key, dsaEncoding: 'ieee-p1363' }, Buffer.concat(plain))
  return isFit ? undefined : 'the signature does not fit'
}

/** Why what a service worker signed with its device's key does not count; undefined where it does. */
function deviceProblem(signature, { key, message }) {
  const opened = { key: createPublicKey({ key: bytesOf(key), format: 'der', type: 'spki' }), dsaEncoding: 'ieee-p1363' }
  const isFit = verify('sha256', Buffer.from(`jarvis-device-v1\0${message}`), opened, bytesOf(signature))
  return isFit ? undefined : 'the signature does not fit'
}

/** Follows a journal entry by entry. `trusted`: fingerprints of first keys that count; empty: every first key does. */
export function createVerifier(trusted = []) {
  const problems = []
  const roots = []
  const signers = new Map()
  const approvals = new Map()
  const mustBeSigned = new Set()
  /** Cards that several people approve, one of them without a signature. */
  const unsignedYes = new Set()
  const grants = new Map()
  const hashes = new Map()
  let previous
  let signed = 0
  let unsigned = 0

  function follow({ seq, at, kind, hash, body }) {
    const found = sha256(`${previous?.hash ?? '0'.repeat(64)}\n${seq}\n${at}\n${kind}\n${JSON.stringify(body)}`)
    // Sealed entries may have been moved away before the first one here.
    const isFirst = previous === undefined && seq !== 1
    if (!isFirst && (found.toString('hex') !== hash || seq !== (previous?.seq ?? 0) + 1))
      problems.push(`entry ${seq}: the chain is broken here`)
    previous = { seq, hash }
    hashes.set(seq, hash)
  }

  function signer(seq, body) {
    const name = `${body.type} ${body.id}`
    if (body.change === 'removed') signers.delete(name)
    if (body.change !== 'added') return
    const others = [...signers.values()].filter(
      (one) =>
        body.type !== 'device' &&
        one.person === body.person &&
        (one.type === body.type || (body.type === 'ssh' && one.type === 'passkey')),
    )
    const { person, id, key, rpId, origin, signedBy } = body
    if (signedBy === undefined) {
      const fingerprint = fingerprintOf(key)
      const isPinned = trusted.length === 0 || trusted.includes(fingerprint)
      if (!isPinned) return void problems.push(`entry ${seq}: the key ${fingerprint} of ${person} is not among --trust`)
      if (others.length > 0)
        return void problems.push(`entry ${seq}: a key of ${person} was enrolled without an older one’s signature`)
      roots.push({ seq, person, type: body.type, fingerprint, isRenewed: body.trust === 'renewed' })
    } else {
      const older = signers.get(`${signedBy.type ?? 'passkey'} ${signedBy.id}`)
      const why = older === undefined ? 'its older key is not enrolled' : enrolmentProblem()
      function enrolmentProblem() {
        const { nonce } = JSON.parse(signedBy.statement)
        const type = body.type === 'passkey' ? undefined : body.type
        const statement = canonical({ person, id, key, rpId, origin, nonce, type })
        if (older.person !== person || statement !== signedBy.statement) return 'what was signed is another enrolment'
        if (signedBy.type === 'ssh')
          return sshProblem(signedBy.signature, { blob: older.key, namespace: 'signer@jarvis', message: statement })
        const challenge = sha256(`jarvis-passkey-v1\0${statement}`).toString('base64url')
        return assertionProblem(signedBy, { key: older.key, rpId: older.rpId, origin, challenge })
      }
      if (why !== undefined) return void problems.push(`entry ${seq}: a key of ${person}: ${why}`)
    }
    signers.set(name, body)
  }

  function receiptProblem({ at, body }) {
    const { receipt, by, toolUseId, bindingHash, decision = 'approved' } = body
    const said = JSON.parse(receipt.statement)
    const key = signers.get(`${receipt.type} ${receipt.id}`)
    if (canonical(said) !== receipt.statement) return 'its statement is not canonical'
    if (said.decision !== decision || said.toolUseId !== toolUseId) return 'it signs another decision'
    if (decision !== 'approved' && receipt.type !== 'device') return 'it signs no such decision'
    if (said.bindingHash !== bindingHash) return 'it signs another call'
    if (said.person !== by || key?.person !== by || key.key !== receipt.key)
      return 'its key is not enrolled for its person'
    if (hashOf(receipt.card) !== said.cardHash) return 'it signs another card'
    if (said.expiresAt < at) return 'it came too late'
    if (hashes.has(said.head.seq) && hashes.get(said.head.seq) !== said.head.hash)
      return 'it was signed in another history'
    if (receipt.type === 'ssh')
      return sshProblem(receipt.signature, { blob: key.key, namespace: 'decision@jarvis', message: receipt.statement })
    if (receipt.type === 'device') return deviceProblem(receipt.signature, { key: key.key, message: receipt.statement })
    if (receipt.type !== 'passkey') return 'it was signed in a way that is not known'
    if (receipt.rpId !== key.rpId) return 'it was made for another RP ID'
    const challenge = sha256(`jarvis-decision-v1\0${receipt.statement}`).toString('base64url')
    return assertionProblem(receipt, { key: receipt.key, rpId: receipt.rpId, origin: said.origin, challenge })
  }

  /** Tests if an entry has a receipt that holds. */
  function isSignedWell(entry) {
    const { seq, body } = entry
    if (body.receipt === undefined) return false
    let why
    try {
      why = receiptProblem(entry)
    } catch {
      why = 'it cannot be read'
    }
    if (why !== undefined) problems.push(`entry ${seq}: the signature on ${body.toolUseId} does not count: ${why}`)
    return why === undefined
  }

  function decision(entry) {
    const { body } = entry
    const { toolUseId, bindingHash, receipt } = body
    const holds = isSignedWell(entry)
    if (body.decision !== 'approved') return
    // A button of a notification signs no proof for a card that must be signed.
    const isSigned = holds && receipt.type !== 'device' && !unsignedYes.has(toolUseId)
    if (holds) signed += 1
    const grant = isSigned ? JSON.parse(receipt.statement).grant : undefined
    approvals.set(toolUseId, { isSigned, bindingHash, grant })
  }

  /** One of several who approve a card. */
  function approval(entry) {
    if (!isSignedWell(entry)) unsignedYes.add(entry.body.toolUseId)
  }

  /** A call of a card that had to be signed began. */
  function execution(seq, { toolUseId, grantId, bindingHash, tier }) {
    const cards = cardsOf.get(toolUseId) ?? [toolUseId]
    const grant = grantId === undefined ? undefined : grants.get(grantId)
    const approval = cards.map((card) => approvals.get(card)).findLast((one) => one !== undefined)
    const given = grant === undefined ? approval : approvals.get(grant)
    if (tier === 'red' && given?.isSigned !== true) unsigned += 1
    if (grant === undefined && approval?.isSigned && approval.bindingHash !== bindingHash)
      problems.push(`entry ${seq}: what ran as ${toolUseId} is not the call that was signed`)
    if (grantId === undefined && mustBeSigned.has(toolUseId) && approval?.isSigned !== true)
      problems.push(`entry ${seq}: ${toolUseId} had to be signed and ran without a signature`)
    if (grant !== undefined && given?.isSigned === true && given.grant === undefined)
      problems.push(`entry ${seq}: ${toolUseId} ran by a grant that its approval did not sign`)
  }

  const cardsOf = new Map()
  function call(body) {
    if (body.card !== undefined)
      cardsOf.set(body.toolUseId, [...(cardsOf.get(body.toolUseId) ?? [body.toolUseId]), body.card])
    if (body.bindingHash === undefined) return
    if (body.proof === 'passkey') mustBeSigned.add(body.toolUseId)
    else mustBeSigned.delete(body.toolUseId)
  }

  return {
    /** Takes the next entry: `{seq, at, kind, hash, body}`. */
    take(entry) {
      const { seq, kind, body } = entry
      if (kind === 'decision') decision(entry)
      if (kind === 'approval') approval(entry)
      follow(entry)
      if (kind === 'signer') signer(seq, body)
      else if (kind === 'call') call(body)
      else if (kind === 'grant' && body.change === 'made') grants.set(body.grantId, body.toolUseId)
      else if (kind === 'execution') execution(seq, body)
    },
    /** `problems`: in words. `roots`: keys that nothing older vouches for. `unsigned`: red calls that ran without a signature. */
    result: () => ({ problems, roots, signed, unsigned, entries: hashes.size }),
  }
}

async function main(args) {
  const trusted = []
  const files = []
  const rest = [...args]
  while (rest.length > 0) {
    const next = rest.shift()
    if (next === '--trust') trusted.push(rest.length === 0 ? undefined : plainFingerprint(rest.shift()))
    else files.push(next)
  }
  if (files.length !== 1 || trusted.includes(undefined)) {
    console.error('Use: node verify-decisions.mjs journal.jsonl [--trust FINGERPRINT]...')
    return 2
  }
  const verifier = createVerifier(trusted)
  for await (const line of createInterface({ input: createReadStream(files[0]), crlfDelay: Infinity }))
    if (line !== '') verifier.take(JSON.parse(line))
  const { problems, roots, signed, unsigned, entries } = verifier.result()
  for (const { seq, person, type, fingerprint, isRenewed } of roots)
    console.log(
      `Trusted as it is${isRenewed ? ', after others were removed' : ''}: ${type} ${fingerprint} of ${person} (entry ${seq})`,
    )
  console.log(`${entries} entries, ${signed} signed approvals that hold, ${unsigned} red calls that ran without one.`)
  for (const problem of problems) console.log(`NOT VALID: ${problem}`)
  return problems.length === 0 ? 0 : 1
}

if (process.argv[1] !== undefined && import.meta.url.endsWith(process.argv[1].split('/').at(-1)))
  process.exitCode = await main(process.argv.slice(2))
