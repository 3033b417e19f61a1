import { createPublicKey, randomBytes } from 'node:crypto'
import {
  JarvisError,
  type Passkey,
  type PasskeyAssertion,
  type PasskeyRegistration,
  type PasskeyReply,
  type WebAuthnOptions,
} from 'protocol'
import { assertionProblem, isCopy } from 'signing/assertion'
import { challengeIn, isFramed } from 'signing/client-data'
import { type Countersignature, enrolmentChallenge, statementOf } from 'signing/enrolment'
import type { Place, RelyingParty } from 'signing/relying-party'
import { Held, heldForMs } from './held.ts'
import type { PasskeyStore, StoredPasskey } from './ports.ts'

const mostPasskeys = 20
/** The algorithms ES256, EdDSA and RS256, which `isSigned` can check. By default, the library would also offer others that the runtime supports. */
const algorithms = [-7, -8, -257]

/** A change of a passkey, as it is journalled. */
export type PasskeyChange =
  | ({ change: 'added'; name: string } & Pick<StoredPasskey, 'person' | 'id' | 'key' | 'rpId' | 'isSynced'> & {
        origin: string
        /**
         * Set if no older key countersigned this passkey. `first`: the person never had a passkey. `renewed`: the journal shows that the person had
         * a passkey before.
         */
        trust?: 'first' | 'renewed'
        signedBy?: Countersignature
      })
  | { change: 'renamed'; person: string; id: string; name: string }
  /** `by`: the owner who removed it; absent: the person removed it. */
  | { change: 'removed'; person: string; id: string; name: string; by?: string }
  /** The passkey's counter did not rise, which shows a copy of the key. */
  | { change: 'refused'; person: string; id: string; name: string; why: string }

type Pending = { passkey: StoredPasskey; origin: string; statement: string }

type Parts = {
  store: PasskeyStore
  place: RelyingParty
  now(): number
  durably<T>(work: () => T): T
  /** Writes to the journal, in the transaction of the change. */
  record(change: PasskeyChange): void
  /** Ends the sign-ins that were made with a passkey, in the transaction of the change. @param except a sign-in that is not ended */
  endSignIns(passkey: string, except?: string): void
  /** True if the journal shows that the person had a passkey before. */
  hadPasskeys(person: string): boolean
}

/** Enrols passkeys, and checks sign-ins with a passkey. Unfinished enrolments and sign-ins are held in memory, so a restart ends them. */
export class Passkeys {
  readonly #parts: Parts
  readonly #enrolling: Held<Place & { person: string; userHandle: string }>
  readonly #signing: Held<Pending>
  readonly #entering: Held<Place>

  constructor(parts: Parts) {
    this.#parts = parts
    this.#enrolling = new Held(parts.now)
    this.#signing = new Held(parts.now)
    this.#entering = new Held(parts.now)
  }

  list(person: string): Passkey[] {
    return this.#parts.store.list(person).map(shown)
  }

  /** Returns the id of the passkey's person. */
  personOf(id: string): string | undefined {
    return this.#parts.store.get(id)?.person
  }

  /** Returns the reason why passkeys do not work at an origin, and what to do; undefined if they work. */
  problem(origin: string): string | undefined {
    return this.#parts.place.problem(origin)
  }

  /** Returns the options to create a passkey. @throws JarvisError `conflict` if passkeys do not work at the origin, or the person has too many */
  async enrolOptions({
    person,
    label,
    origin,
  }: {
    person: string
    label: string
    origin: string
  }): Promise<WebAuthnOptions> {
    const here = this.#parts.place.at(origin)
    const known = this.#parts.store.list(person)
    if (known.length >= mostPasskeys)
      throw new JarvisError('conflict', `You have ${mostPasskeys} passkeys already. Remove one first.`)
    const userHandle = known[0]?.userHandle ?? randomBytes(32).toString('base64url')
    const { generateRegistrationOptions } = await library()
    const options = await generateRegistrationOptions({
      rpName: 'JARVIS',
      rpID: here.rpId,
      userName: label,
      userDisplayName: label,
      timeout: heldForMs,
      userID: Buffer.from(userHandle, 'base64url'),
      attestationType: 'none',
      supportedAlgorithmIDs: algorithms,
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      excludeCredentials: known.map(({ id, transports }) => ({ id, transports: transports as never })),
    })
    this.#enrolling.hold(options.challenge, { ...here, person, userHandle })
    return asJson(options)
  }

  /**
   * Enrols a person's first passkey. If the person has one already, returns the options for an older passkey to sign the new one. @throws
   * JarvisError `invalid_request`
   */
  async enrol(person: string, name: string, response: PasskeyRegistration): Promise<PasskeyReply> {
    const { passkey, origin } = await this.#registered(person, name, response)
    const older = this.#parts.store.list(person)
    if (older.length === 0) return { passkey: this.#keep(passkey, origin) }
    const statement = statementOf({ ...passkey, origin }, randomBytes(32).toString('base64url'))
    const challenge = enrolmentChallenge(statement)
    this.#signing.hold(challenge, { passkey, origin, statement })
    return { countersign: await this.#optionsToSign(older, passkey.rpId, challenge) }
  }

  /** Enrols the new passkey after an older one has signed it. @throws JarvisError `invalid_request` */
  countersign(person: string, { id, response }: PasskeyAssertion): Passkey {
    const challenge = challengeIn({ response })
    const pending = this.#signing.take(challenge)
    const older = this.#parts.store.get(id)
    if (pending?.passkey.person !== person || older?.person !== person)
      throw invalid('This was not asked for, or took longer than five minutes. Begin again.')
    const { passkey, origin, statement } = pending
    const { clientDataJSON, authenticatorData, signature } = response
    const signed = { clientDataJSON, authenticatorData, signature }
    const problem = assertionProblem(signed, { key: older.key, rpId: older.rpId, origin, challenge })
    if (problem !== undefined) throw invalid(`The older passkey’s signature does not count. ${problem}`)
    return this.#keep(passkey, origin, { id, statement, ...signed })
  }

  /** @throws JarvisError `not_found` */
  rename(person: string, id: string, name: string): void {
    this.#parts.durably(() => {
      if (!this.#parts.store.rename(id, person, name)) throw unknown()
      this.#parts.record({ change: 'renamed', person, id, name })
    })
  }

  /**
   * Removes a passkey, and ends the sign-ins that were made with it. @param how.by the person, or an owner @param how.signIn a sign-in that is not
   * ended @throws JarvisError `not_found`
   */
  remove(person: string, id: string, { by, signIn }: { by: string; signIn?: string | undefined }): void {
    this.#parts.durably(() => {
      const known = this.#parts.store.get(id)
      if (known === undefined || !this.#parts.store.remove(id, person)) throw unknown()
      this.#parts.endSignIns(id, signIn)
      this.#parts.record({ change: 'removed', person, id, name: known.name, ...(by !== person && { by }) })
    })
  }

  /** Returns the options for a sign-in with any passkey of this server. @throws JarvisError `conflict` if passkeys do not work at the origin */
  async signInOptions(origin: string): Promise<WebAuthnOptions> {
    const here = this.#parts.place.at(origin)
    const challenge = randomBytes(32).toString('base64url')
    this.#entering.hold(challenge, here)
    return this.#optionsToSign([], here.rpId, challenge)
  }

  /** Checks a sign-in with a passkey. @returns the id of the passkey's person. @throws JarvisError `invalid_credentials` */
  async prove(response: PasskeyAssertion): Promise<string> {
    const challenge = challengeIn(response)
    const begun = this.#entering.take(challenge)
    if (begun === undefined) throw refused('It took longer than five minutes, or was used before. Try again.')
    if (isFramed(response)) throw refused('It was signed on a page within another site.')
    const passkey = this.#parts.store.get(response.id)
    const { userHandle } = response.response
    if (passkey === undefined || (userHandle !== undefined && userHandle !== passkey.userHandle)) throw unknownHere()
    const newCounter = await this.#counterOf(response, passkey, { ...begun, challenge })
    // The passkey may have been removed during the check.
    if (this.#parts.store.get(response.id)?.key !== passkey.key) throw unknownHere()
    const isCopied = isCopy(newCounter, passkey.counter)
    const { id, person, name, counter } = passkey
    this.#parts.durably(() => {
      if (isCopied)
        this.#parts.record({ change: 'refused', person, id, name, why: `counter ${newCounter} after ${counter}` })
      else this.#parts.store.used(id, newCounter, this.#parts.now())
    })
    if (isCopied)
      throw refused('This passkey’s counter went back, as that of a copy does. Sign in another way and remove it.')
    return person
  }

  #keep(passkey: StoredPasskey, origin: string, signedBy?: Countersignature): Passkey {
    const { person, id, name, key, rpId, isSynced } = passkey
    return this.#parts.durably(() => {
      const isFirst = this.#parts.store.list(person).length === 0
      // The person's passkeys may have changed between the two requests of a countersignature.
      if (isFirst !== (signedBy === undefined)) throw invalid('Your passkeys have changed meanwhile. Begin again.')
      if (!this.#parts.store.add(passkey)) throw new JarvisError('conflict', 'This passkey is enrolled already.')
      const trust = signedBy
        ? { signedBy }
        : ({ trust: this.#parts.hadPasskeys(person) ? 'renewed' : 'first' } as const)
      this.#parts.record({ change: 'added', person, id, name, key, rpId, isSynced, origin, ...trust })
      return shown(passkey)
    })
  }

  async #optionsToSign(older: readonly StoredPasskey[], rpId: string, challenge: string) {
    const { generateAuthenticationOptions } = await library()
    const allowCredentials = older.map(({ id, transports }) => ({ id, transports: transports as never }))
    return asJson(
      await generateAuthenticationOptions({
        rpID: rpId,
        challenge: Buffer.from(challenge, 'base64url'),
        timeout: heldForMs,
        userVerification: 'required',
        allowCredentials,
      }),
    )
  }

  async #registered(person: string, name: string, response: PasskeyRegistration) {
    const challenge = challengeIn(response)
    const begun = this.#enrolling.take(challenge)
    if (begun?.person !== person)
      throw invalid('This was not asked for, or took longer than five minutes. Begin again.')
    if (isFramed(response)) throw invalid('The passkey was made on a page within another site.')
    const { verifyRegistrationResponse } = await library()
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: { ...response, clientExtensionResults: {} } as never,
      expectedChallenge: challenge,
      expectedOrigin: begun.origin,
      expectedRPID: begun.rpId,
      requireUserVerification: true,
      supportedAlgorithmIDs: algorithms,
    }).catch((cause: unknown) => {
      throw invalid('The passkey was not accepted', cause)
    })
    if (!verified || registrationInfo === undefined) throw invalid('The passkey was not accepted.')
    const { credential, credentialDeviceType } = registrationInfo
    const { rpId, origin, userHandle } = begun
    const passkey: StoredPasskey = {
      id: credential.id,
      person,
      userHandle,
      name,
      rpId,
      counter: credential.counter,
      key: await spkiOf(credential.publicKey),
      cose: Buffer.from(credential.publicKey).toString('base64url'),
      transports: response.response.transports ?? [],
      isSynced: credentialDeviceType === 'multiDevice',
      createdAt: this.#parts.now(),
    }
    return { passkey, origin }
  }

  /** Verifies a sign-in with a passkey. @returns the authenticator's counter. @throws JarvisError `invalid_credentials` */
  async #counterOf(response: PasskeyAssertion, passkey: StoredPasskey, begun: Place & { challenge: string }) {
    const { verifyAuthenticationResponse } = await library()
    const publicKey = new Uint8Array(Buffer.from(passkey.cose, 'base64url'))
    try {
      const { verified, authenticationInfo } = await verifyAuthenticationResponse({
        response: { ...response, clientExtensionResults: {} },
        expectedChallenge: begun.challenge,
        expectedOrigin: begun.origin,
        expectedRPID: begun.rpId,
        // The caller compares the counter, because its message is more precise than the library's.
        credential: { id: passkey.id, publicKey, counter: 0 },
        requireUserVerification: true,
      })
      if (verified) return authenticationInfo.newCounter
    } catch (cause) {
      throw refused('This passkey was not accepted.', cause)
    }
    throw refused('This passkey was not accepted.')
  }
}

// The library is loaded at its first use, because most starts do not need it.
const library = () => import('@simplewebauthn/server')

const shown = ({ id, name, isSynced, createdAt, lastUsedAt }: StoredPasskey): Passkey => ({
  id,
  name,
  isSynced,
  createdAt,
  lastUsedAt,
})

const asJson = (options: { challenge: string }) => options as unknown as WebAuthnOptions
const unknown = () => new JarvisError('not_found', 'There is no such passkey.')
const unknownHere = () => refused('This passkey is not known here. Sign in another way.')
const refused = (message: string, cause?: unknown) => new JarvisError('invalid_credentials', message, { cause })
const invalid = (message: string, cause?: unknown) =>
  new JarvisError('invalid_request', cause instanceof Error ? `${message}: ${cause.message}` : message, { cause })

/** Converts a COSE key (P-256, Ed25519 or RSA) to SPKI in DER, base64url. @throws JarvisError `invalid_request` */
async function spkiOf(cose: Uint8Array): Promise<string> {
  const { cose: keys, decodeCredentialPublicKey } = await import('@simplewebauthn/server/helpers')
  const key = decodeCredentialPublicKey(cose as never)
  const text = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString('base64url')
  const { COSEKEYS } = keys
  const jwk = keys.isCOSEPublicKeyEC2(key)
    ? { kty: 'EC', crv: 'P-256', x: text(key.get(COSEKEYS.x)), y: text(key.get(COSEKEYS.y)) }
    : keys.isCOSEPublicKeyOKP(key)
      ? { kty: 'OKP', crv: 'Ed25519', x: text(key.get(COSEKEYS.x)) }
      : keys.isCOSEPublicKeyRSA(key)
        ? { kty: 'RSA', n: text(key.get(COSEKEYS.n)), e: text(key.get(COSEKEYS.e)) }
        : undefined
  if (jwk === undefined) throw invalid('The passkey has a kind of key that JARVIS does not check.')
  return createPublicKey({ key: jwk, format: 'jwk' }).export({ type: 'spki', format: 'der' }).toString('base64url')
}
