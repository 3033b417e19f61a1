import { randomBytes } from 'node:crypto'
import { JarvisError, type SshKeyInfo, type SshKeyReply, type WebAuthnOptions } from 'protocol'
import { challengeIn } from 'signing/client-data'
import {
  type Countersignature,
  countersignatureProblem,
  type Enrolled,
  enrolmentChallenge,
  statementOf,
} from 'signing/enrolment'
import type { RelyingParty } from 'signing/relying-party'
import type { Signers } from 'signing/signers'
import { SshProblem, sshKeyIn, sshKeyOf, sshNamespaces, sshSignatureOf } from 'signing/ssh-signature'
import { Held, heldForMs } from './held.ts'
import type { PasskeyStore, SignerKeyStore, StoredSignerKey } from './ports.ts'

const mostKeys = 20

/** A change of an SSH key, as it is journalled. */
export type SshKeyChange = { person: string; id: string; name: string } & (
  | {
      change: 'added'
      key: string
      origin: string
      /**
       * Set if no older key countersigned this key. `first`: the person never had an SSH key. `renewed`: the journal shows that the person had an
       * SSH key before.
       */
      trust?: 'first' | 'renewed'
      signedBy?: Countersignature
    }
  /** `by`: the owner who removed it; absent: the person removed it. */
  | { change: 'removed'; by?: string }
)

/** An older key's signature of an enrolment: a passkey's answer, or `ssh-keygen -Y sign -n signer@jarvis`. */
type Signed =
  | { response: { id: string; response: { clientDataJSON: string; authenticatorData: string; signature: string } } }
  | { statement: string; signature: string }

type Parts = {
  store: SignerKeyStore
  passkeys: Pick<PasskeyStore, 'list'>
  signers: Pick<Signers, 'find'>
  place: RelyingParty
  now(): number
  durably<T>(work: () => T): T
  /** Writes to the journal, in the transaction of the change. */
  record(change: SshKeyChange): void
  /** True if the journal shows that the person had an SSH key before. */
  hadKeys(person: string): boolean
}

/** Enrols OpenSSH keys, with which decisions are signed in a terminal. Unfinished enrolments are held in memory, so a restart ends them. */
export class SshKeys {
  readonly #parts: Parts
  readonly #pending: Held<{ key: StoredSignerKey; origin: string; statement: string }>

  constructor(parts: Parts) {
    this.#parts = parts
    this.#pending = new Held(parts.now)
  }

  list(person: string): SshKeyInfo[] {
    return this.#parts.store.list(person, 'ssh').map(shown)
  }

  /**
   * Enrols a person's first key. If the person has a key or a passkey already, returns the text that it must sign. @throws JarvisError
   * `invalid_request`, `conflict`
   */
  enrol(person: string, { name, line, origin }: { name: string; line: string; origin: string }): SshKeyReply {
    const { id, blob, comment } = readable(() => sshKeyOf(line))
    const known = this.#parts.store.get(id)
    if (known !== undefined)
      throw new JarvisError(
        'conflict',
        `This key is enrolled already${known.person === person ? '' : ', for somebody else'}.`,
      )
    const older = this.#olderOf(person)
    if (older.keys.length >= mostKeys)
      throw new JarvisError('conflict', `You have ${mostKeys} SSH keys. Remove one first.`)
    const called = name === '' ? comment.slice(0, 60) || 'SSH key' : name
    const key: StoredSignerKey = { type: 'ssh', id, person, name: called, key: blob, createdAt: this.#parts.now() }
    if (older.passkeys.length + older.keys.length === 0) return { key: this.#keep(key, origin) }
    const statement = statementOf(enrolled(key, origin), randomBytes(32).toString('base64url'))
    const challenge = enrolmentChallenge(statement)
    this.#pending.hold(challenge, { key, origin, statement })
    const problem = older.passkeys.length === 0 ? 'no passkeys' : this.#parts.place.problem(origin)
    const options: WebAuthnOptions = {
      challenge,
      rpId: this.#parts.place.rpId,
      timeout: heldForMs,
      userVerification: 'required',
      allowCredentials: older.passkeys.map(({ id, transports }) => ({ type: 'public-key', id, transports })),
    }
    return {
      countersign: {
        statement,
        namespace: sshNamespaces.signer,
        sshKeys: older.keys.map((one) => one.id),
        ...(problem === undefined && { options }),
      },
    }
  }

  /** Enrols the new key after an older one has signed it. @throws JarvisError `invalid_request` */
  countersign(person: string, signed: Signed): SshKeyInfo {
    const { begun, signedBy } = this.#signatureOf(person, signed)
    const older = this.#parts.signers.find(signedBy.type ?? 'passkey', signedBy.id, person)
    const problem =
      older === undefined
        ? 'It is none of your keys.'
        : countersignatureProblem(enrolled(begun.key, begun.origin), signedBy, older)
    if (problem !== undefined) throw invalid(`The older key’s signature does not count. ${problem}`)
    return this.#keep(begun.key, begun.origin, signedBy)
  }

  /** Removes a key. @param by the person, or an owner @throws JarvisError `not_found` */
  remove(person: string, id: string, by: string): void {
    this.#parts.durably(() => {
      const known = this.#parts.store.get(id)
      if (known?.type !== 'ssh' || known.person !== person || !this.#parts.store.remove(id))
        throw new JarvisError('not_found', 'There is no such key.')
      this.#parts.record({ change: 'removed', person, id, name: known.name, ...(by !== person && { by }) })
    })
  }

  #olderOf(person: string) {
    return { passkeys: this.#parts.passkeys.list(person), keys: this.#parts.store.list(person, 'ssh') }
  }

  #keep(key: StoredSignerKey, origin: string, signedBy?: Countersignature): SshKeyInfo {
    const { person, id, name, key: blob } = key
    return this.#parts.durably(() => {
      const older = this.#olderOf(person)
      const isFirst = older.passkeys.length + older.keys.length === 0
      if (isFirst !== (signedBy === undefined)) throw invalid('Your keys have changed meanwhile. Begin again.')
      if (!this.#parts.store.add(key)) throw new JarvisError('conflict', 'This key is enrolled already.')
      const trust = signedBy ? { signedBy } : ({ trust: this.#parts.hadKeys(person) ? 'renewed' : 'first' } as const)
      this.#parts.record({ change: 'added', person, id, name, key: blob, origin, ...trust })
      return shown(key)
    })
  }

  /** Checks and returns the signature of the person's older key. @throws JarvisError */
  #signatureOf(person: string, signed: Signed) {
    const isPasskey = 'response' in signed
    const begun = this.#pending.take(isPasskey ? challengeIn(signed.response) : enrolmentChallenge(signed.statement))
    if (begun?.key.person !== person)
      throw invalid('This was not asked for, or took longer than five minutes. Begin again.')
    const { statement } = begun
    if (isPasskey) {
      const { id, response } = signed.response
      const { clientDataJSON, authenticatorData, signature } = response
      return { begun, signedBy: { id, statement, clientDataJSON, authenticatorData, signature } }
    }
    const signature = readable(() => sshSignatureOf(signed.signature))
    return { begun, signedBy: { type: 'ssh' as const, id: readable(() => sshKeyIn(signature)), statement, signature } }
  }
}

const enrolled = ({ person, id, key }: StoredSignerKey, origin: string): Enrolled => ({
  type: 'ssh',
  person,
  id,
  key,
  origin,
})
const shown = ({ id, name, createdAt, lastUsedAt }: StoredSignerKey): SshKeyInfo => ({
  id,
  name,
  createdAt,
  lastUsedAt,
})
const invalid = (message: string) => new JarvisError('invalid_request', message)

function readable<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw invalid(error instanceof SshProblem ? error.message : 'It cannot be read.')
  }
}
