import { randomBytes } from 'node:crypto'
import {
  type Card,
  type DecisionChallenge,
  type DecisionProof,
  type DecisionTerms,
  JarvisError,
  type WebAuthnOptions,
} from '../protocol/index.ts'
import { cardAsSigned, cardHash, challengeOf, type Statement, statementText } from './decision.ts'
import { challengeIn } from './passkeys.ts'
import type { ChallengeStore, PasskeyStore } from './ports.ts'
import { type About, type Receipt, receiptProblem, statementIn } from './receipt.ts'
import type { RelyingParty } from './relying-party.ts'
import type { Signers } from './signers.ts'

/** How long a person has to sign, ms. */
export const signWithinMs = 2 * 60_000

/** An approval that is to be signed. `bindingHash`: of the card's call. */
export type Asked = { card: Card; bindingHash: string; person: string; terms: DecisionTerms }

export type Decisions = {
  /** What to sign, once, within two minutes. @param origin where the person's browser is */
  challenge(asked: Asked, origin: string): DecisionChallenge
  /** Checks the signature of an approval. @throws JarvisError `proof_refused` */
  check(given: DecisionProof, asked: Asked): Receipt
  /** Ends the challenge, in the transaction of the decision. @throws JarvisError `proof_refused` where it was used before */
  use(receipt: Receipt): void
  /**
   * Checks a kept approval again, in the transaction of the claim. @param bindingHash of the call that runs; absent: not compared
   * @returns why it is not signed as it must be; undefined where it is
   */
  problem(toolUseId: string, bindingHash?: string): string | undefined
}

/** Makes challenges of decisions and checks what was signed, against stored challenges and the journal's enrolments. */
export function createDecisions(parts: {
  store: ChallengeStore
  passkeys: Pick<PasskeyStore, 'get' | 'list'>
  signers: Signers
  place: RelyingParty
  /** What the journal has of a decision. */
  decisionOf(toolUseId: string): Record<string, unknown> | undefined
  head(): { seq: number; hash: string }
  now(): number
}): Decisions {
  const { store, passkeys, signers, place, now } = parts

  /** Whether a key signs for the person still. */
  function signerProblem({ type, id, key }: Receipt, person: string): string | undefined {
    const enrolled = signers.find(type, id, person)
    const isKept = passkeys.get(id)?.key === key
    return enrolled?.key === key && isKept ? undefined : 'The key that signed is not enrolled for this person.'
  }

  function read(given: DecisionProof, { card, person }: Asked, statement: string): Receipt {
    const { id, response } = given.response
    const passkey = passkeys.get(id)
    if (passkey?.person !== person) throw refused('You have no such passkey.')
    const { clientDataJSON, authenticatorData, signature } = response
    return {
      ...{ type: 'passkey', id, key: passkey.key, rpId: place.rpId, statement, card: cardAsSigned(card) },
      ...{ clientDataJSON, authenticatorData, signature },
    }
  }

  return {
    challenge(asked, origin) {
      const { card, bindingHash, person, terms } = asked
      const { toolUseId } = card
      store.forget(now())
      const nonce = randomBytes(32).toString('base64url')
      const expiresAt = Math.min(now() + signWithinMs, card.expiresAt)
      const statement: Statement = {
        ...{ toolUseId, bindingHash, cardHash: cardHash(card), decision: 'approved', ...terms, person },
        ...{ origin, nonce, head: parts.head(), expiresAt },
      }
      const text = statementText(statement)
      const challenge = challengeOf(text)
      store.add({ id: challenge, toolUseId, person, statement: text, expiresAt })
      const known = passkeys.list(person)
      const problem = known.length === 0 ? 'You have no passkey yet. Add one in the settings.' : place.problem(origin)
      const lines = linesOf(card, terms)
      const base = { challenge, statement: text, lines, expiresAt }
      return problem === undefined
        ? { ...base, options: optionsOf(challenge, place.rpId, known) }
        : { ...base, problem }
    },
    check(given, asked) {
      const id = challengeIn(given.response)
      const row = store.get(id)
      const { card, bindingHash, person, terms } = asked
      if (row?.toolUseId !== card.toolUseId || row.person !== person)
        throw refused('It was not made for this card and person.')
      if (row.usedAt !== undefined) throw refused('It was used before.')
      if (row.expiresAt <= now()) throw refused('It came too late: a signature counts for two minutes.')
      const receipt = read(given, asked, row.statement)
      const about: About = {
        ...{ toolUseId: card.toolUseId, bindingHash, cardHash: cardHash(card), person },
        ...{ grant: terms.grant, goesBackAfterMin: terms.goesBackAfterMin },
      }
      const why =
        (challengeOf(row.statement) === id ? undefined : 'The stored challenge was changed.') ??
        signerProblem(receipt, person) ??
        receiptProblem(receipt, about)
      if (why !== undefined) throw refused(why)
      return receipt
    },
    use({ statement }) {
      if (!store.use(challengeOf(statement), now())) throw refused('It was used before.')
    },
    problem(toolUseId, bindingHash) {
      const decided = parts.decisionOf(toolUseId) as { decision?: string; by?: string; receipt?: Receipt } | undefined
      const { receipt, by = '' } = decided ?? {}
      if (decided?.decision !== 'approved' || receipt === undefined) return 'Its approval is not signed.'
      const row = store.get(challengeOf(receipt.statement))
      if (row?.statement !== receipt.statement || row.toolUseId !== toolUseId || row.usedAt === undefined)
        return 'Its approval answers no challenge of this server.'
      if (statementIn(receipt.statement)?.person !== by) return 'Its approval was signed by somebody else.'
      if (receipt.rpId !== place.rpId) return 'Its approval was signed for another name.'
      const about: About = { toolUseId, person: by, ...(bindingHash !== undefined && { bindingHash }) }
      return signerProblem(receipt, by) ?? receiptProblem(receipt, about)
    },
  }
}

/** What a person reads before they sign. */
function linesOf({ sentence, toolName, target, now, then, affects }: Card, { grant, goesBackAfterMin }: DecisionTerms) {
  return [
    sentence ?? `${toolName}${target.id === '' ? '' : ` on ${target.id}`}`,
    `Now: ${now}`,
    `Then: ${then}`,
    `Affects: ${affects}`,
    ...(grant === undefined
      ? []
      : [`Allows the same call again: ${grant.uses ?? 10} times, ${grant.minutes ?? 60} minutes`]),
    ...(goesBackAfterMin === undefined ? [] : [`Goes back after ${goesBackAfterMin} minutes`]),
  ]
}

const optionsOf = (
  challenge: string,
  rpId: string,
  known: readonly { id: string; transports: readonly string[] }[],
): WebAuthnOptions => ({
  ...{ challenge, rpId, timeout: signWithinMs, userVerification: 'required' },
  allowCredentials: known.map(({ id, transports }) => ({ type: 'public-key', id, transports })),
})

const refused = (why: string) =>
  new JarvisError('proof_refused', `The signature does not count. ${why} Nothing was decided; the card waits.`)
