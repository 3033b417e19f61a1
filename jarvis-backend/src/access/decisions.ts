import { randomBytes } from 'node:crypto'
import {
  type Card,
  type DecisionChallenge,
  type DecisionProof,
  type DecisionTerms,
  JarvisError,
  type WebAuthnOptions,
} from 'protocol'
import { counterIn, isCopy } from 'signing/assertion'
import { challengeIn } from 'signing/client-data'
import { cardAsSigned, cardHash, challengeOf, linesToSign, type Statement, statementText } from 'signing/decision'
import { type About, type Receipt, receiptProblem, statementIn } from 'signing/receipt'
import type { RelyingParty } from 'signing/relying-party'
import type { Signers } from 'signing/signers'
import { SshProblem, sshKeyIn, sshSignatureOf } from 'signing/ssh-signature'
import type { ChallengeStore, PasskeyStore, SignerKeyStore, StoredPasskey } from './ports.ts'

/** Time limit for signing, ms. */
export const signWithinMs = 2 * 60_000

/** An approval for which a signature is requested. `bindingHash`: hash of the card's call. */
export type Asked = { card: Card; bindingHash: string; person: string; terms: DecisionTerms }

/** A signed approval. `isAlone`: an owner approved without the others who must also approve. */
export type SignedYes = { person: string; isAlone: boolean }

type Decided = { decision?: string; by?: string; bindingHash?: string; receipt?: Receipt }

type Parts = {
  store: ChallengeStore
  passkeys: Pick<PasskeyStore, 'get' | 'list' | 'used'>
  keys: Pick<SignerKeyStore, 'get' | 'list' | 'used'>
  signers: Signers
  place: RelyingParty
  /** Returns the journal's entry of the decision on a card. */
  decisionOf(toolUseId: string): Record<string, unknown> | undefined
  /** The journal's entries of the approvals of a card that several people must approve. */
  approvalsOf(toolUseId: string, bindingHash: string): (SignedYes & { receipt?: Receipt })[]
  head(): { seq: number; hash: string }
  now(): number
  /** Called if a passkey's counter did not rise, which shows a copy of the key. */
  copied(passkey: StoredPasskey, why: string): void
}

/** Creates the challenges for decisions. Checks signatures against the stored challenges and the enrolments in the journal. */
export class Decisions {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Creates a challenge that a person can sign once, within two minutes. @param origin the origin of the page in the person's browser */
  challenge(asked: Asked, origin: string): DecisionChallenge {
    const { card, bindingHash, person, terms } = asked
    const { toolUseId } = card
    this.#parts.store.forget(this.#parts.now())
    const nonce = randomBytes(32).toString('base64url')
    const expiresAt = Math.min(this.#parts.now() + signWithinMs, card.expiresAt)
    const statement: Statement = {
      toolUseId,
      bindingHash,
      cardHash: cardHash(card),
      decision: 'approved',
      ...terms,
      person,
      origin,
      nonce,
      head: this.#parts.head(),
      expiresAt,
    }
    const text = statementText(statement)
    const challenge = challengeOf(text)
    this.#parts.store.add({ id: challenge, toolUseId, person, statement: text, expiresAt })
    const known = this.#parts.passkeys.list(person)
    const sshKeys = this.#parts.keys.list(person, 'ssh').map(({ id }) => id)
    const none = known.length === 0 ? 'You have no passkey yet. Add one in the settings.' : undefined
    const problem = this.#parts.place.problem(origin) ?? none
    const lines = linesToSign(card, terms)
    const base = { challenge, statement: text, lines, expiresAt, ...(sshKeys.length > 0 && { sshKeys }) }
    return problem === undefined
      ? { ...base, options: optionsOf(challenge, this.#parts.place.rpId, known) }
      : { ...base, problem }
  }

  /** Checks the signature of an approval. @throws JarvisError `proof_refused` */
  check(given: DecisionProof, asked: Asked): Receipt {
    const id = given.type === 'ssh' ? given.challenge : challengeIn(given.response)
    const row = this.#parts.store.get(id)
    const { card, bindingHash, person, terms } = asked
    if (row?.toolUseId !== card.toolUseId || row.person !== person)
      throw refused('It was not made for this card and person.')
    if (row.usedAt !== undefined) throw refused('It was used before.')
    if (row.expiresAt <= this.#parts.now()) throw refused('It came too late: a signature counts for two minutes.')
    const receipt = this.#read(given, asked, row.statement)
    const about: About = {
      toolUseId: card.toolUseId,
      bindingHash,
      cardHash: cardHash(card),
      person,
      grant: terms.grant,
      goesBackAfterMin: terms.goesBackAfterMin,
      alone: terms.alone,
    }
    const why =
      (challengeOf(row.statement) === id ? undefined : 'The stored challenge was changed.') ??
      this.#signerProblem(receipt, person) ??
      receiptProblem(receipt, about)
    if (why !== undefined) throw refused(why)
    this.#requireCount(receipt)
    return receipt
  }

  /** Ends the challenge, in the transaction of the decision. @throws JarvisError `proof_refused` if it was used before */
  use(receipt: Receipt): void {
    // A device may sign a denial with the same challenge, so the decision is replaced before the hash.
    const asked = receipt.statement.replace('"denied"', '"approved"')
    if (!this.#parts.store.use(challengeOf(asked), this.#parts.now())) throw refused('It was used before.')
    if (receipt.type === 'passkey') this.#parts.passkeys.used(receipt.id, counterIn(receipt), this.#parts.now())
    else this.#parts.keys.used(receipt.id, this.#parts.now())
  }

  /** Returns the approvals with a valid signature, for a card that several people must approve. */
  signedBy(toolUseId: string, bindingHash: string): SignedYes[] {
    return this.#parts
      .approvalsOf(toolUseId, bindingHash)
      .filter(({ person, receipt }) => this.#keptProblem(receipt, person, { toolUseId, bindingHash }) === undefined)
      .map(({ person, isAlone }) => ({ person, isAlone }))
  }

  /**
   * Checks a stored approval again, in the transaction that claims the call. @param bindingHash hash of the call that runs; absent: not compared
   * @param needed number of people who must have signed; 0: only one approval is checked @returns the reason why the signatures are not sufficient;
   * undefined if they are
   */
  problem(toolUseId: string, bindingHash?: string, needed: number = 0): string | undefined {
    const { decision, by = '', bindingHash: bound = '', receipt } = (this.#parts.decisionOf(toolUseId) ?? {}) as Decided
    if (decision !== 'approved') return 'Its approval is not signed.'
    const about: About = { toolUseId, ...(bindingHash !== undefined && { bindingHash }) }
    const why = this.#keptProblem(receipt, by, about)
    if (why !== undefined || needed === 0) return why
    const yes = this.signedBy(toolUseId, bindingHash ?? bound)
    const isEnough = yes.some(({ isAlone }) => isAlone) || new Set(yes.map(({ person }) => person)).size >= needed
    return isEnough ? undefined : `Of ${needed} who must sign it, not all have signatures that count.`
  }

  /** Returns the reason why a key may not sign for the person; undefined if it may. */
  #signerProblem({ type, id, key }: Receipt, person: string): string | undefined {
    const enrolled = this.#parts.signers.find(type, id, person)
    const kept = type === 'passkey' ? this.#parts.passkeys.get(id) : this.#parts.keys.get(id)
    return enrolled?.key === key && kept?.key === key
      ? undefined
      : 'The key that signed is not enrolled for this person.'
  }

  #read(given: DecisionProof, { card, person }: Asked, statement: string): Receipt {
    const base = { statement, card: cardAsSigned(card) }
    if (given.type === 'ssh') {
      const signature = readSsh(() => sshSignatureOf(given.signature))
      const id = readSsh(() => sshKeyIn(signature))
      const known = this.#parts.keys.get(id)
      if (known?.type !== 'ssh' || known.person !== person) throw refused(`You have no such SSH key as ${id}.`)
      return { ...base, type: 'ssh', id, key: known.key, signature }
    }
    const { id, response } = given.response
    const passkey = this.#parts.passkeys.get(id)
    if (passkey?.person !== person) throw refused('You have no such passkey.')
    const { clientDataJSON, authenticatorData, signature } = response
    const { key } = passkey
    return {
      ...base,
      type: 'passkey',
      id,
      key,
      rpId: this.#parts.place.rpId,
      clientDataJSON,
      authenticatorData,
      signature,
    }
  }

  /** Requires that a passkey's counter has risen. @throws JarvisError `proof_refused` if it has not */
  #requireCount(receipt: Receipt) {
    const passkey = receipt.type === 'passkey' ? this.#parts.passkeys.get(receipt.id) : undefined
    if (receipt.type !== 'passkey' || passkey === undefined) return
    const counter = counterIn(receipt)
    if (!isCopy(counter, passkey.counter)) return
    this.#parts.copied(passkey, `counter ${counter} after ${passkey.counter}`)
    throw refused('This passkey’s counter went back, as that of a copy does. Remove it.')
  }

  /** Returns the reason why one person's stored approval is not valid; undefined if it is. */
  #keptProblem(receipt: Receipt | undefined, by: string, about: About): string | undefined {
    if (receipt === undefined) return 'Its approval is not signed.'
    if (receipt.type === 'device') return 'A button of a notification does not sign it.'
    const row = this.#parts.store.get(challengeOf(receipt.statement))
    if (row?.statement !== receipt.statement || row.toolUseId !== about.toolUseId || row.usedAt === undefined)
      return 'Its approval answers no challenge of this server.'
    if (statementIn(receipt.statement)?.person !== by) return 'Its approval was signed by somebody else.'
    if (receipt.type === 'passkey' && receipt.rpId !== this.#parts.place.rpId)
      return 'Its approval was signed for another name.'
    return this.#signerProblem(receipt, by) ?? receiptProblem(receipt, { ...about, person: by })
  }
}

function readSsh<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw refused(error instanceof SshProblem ? error.message : 'The SSH signature cannot be read.')
  }
}

const optionsOf = (
  challenge: string,
  rpId: string,
  known: readonly { id: string; transports: readonly string[] }[],
): WebAuthnOptions => ({
  challenge,
  rpId,
  timeout: signWithinMs,
  userVerification: 'required',
  allowCredentials: known.map(({ id, transports }) => ({ type: 'public-key', id, transports })),
})

const refused = (why: string) =>
  new JarvisError('proof_refused', `The signature does not count. ${why} Nothing was decided; the card waits.`)
