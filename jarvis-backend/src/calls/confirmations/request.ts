import { hashOf } from 'node-kit/canonical'
import { type Alternative, type DecisionProof, type GrantRequest, JarvisError } from 'protocol'
import type { Receipt } from 'signing/receipt'
import type { Decisions } from '../../access/decisions.ts'
import type { Scope } from '../../gate/index.ts'
import { newId } from '../../lib/ids.ts'
import type { Judge } from '../judgement.ts'
import type { StoredConfirmation } from '../ports.ts'

export type DecideRequest = {
  toolUseId: string
  /** If given, it must be the session of the confirmation. */
  sessionId?: string
  confirmed: boolean
  note?: string
  /** With an approval: also makes a grant, so that the same call may run again. */
  grant?: GrantRequest | undefined
  /** With a denial: the operator's own call, which runs in place of the denied one. */
  alternative?: Alternative | undefined
  /** With an approval: the change goes back by itself this many minutes after it began, unless a person keeps it. */
  goesBackAfterMin?: number | undefined
  by: string
  /** The channel that the decision came over. */
  via?: string
  /**
   * With an approval: the reason why an owner decides without the other people who must approve. The door has asked for the owner's password again.
   */
  breakGlass?: string | undefined
  /** With an approval: the person's signature of a challenge. */
  proof?: DecisionProof | undefined
  /** A device's signature for a button of its notification. The door has checked it. It is not enough for a card that must be signed. */
  receipt?: Receipt | undefined
  /** Makes repeated requests safe: `isAnswered` tells if the request was done before, and `remember` stores that in the decision's transaction. */
  once?: { isAnswered(): boolean; remember(): void }
}

export type RequestParts = {
  judge: Judge
  decisions: Pick<Decisions, 'check'>
  /** Returns true if the policy lets an owner decide alone a card that several people must approve. */
  mayBreakGlass(): boolean
  redactValue<T>(value: T): T
}

/** The operator's own call, which runs in place of a denied one. */
type OtherCall = Alternative & { toolUseId: string }

/** Checks that a card can be decided as a request asks. Each check throws before anything is decided. */
export class RequestChecks {
  readonly #parts: RequestParts

  constructor(parts: RequestParts) {
    this.#parts = parts
  }

  /**
   * Checks a request. @returns the further results of the decision: another call, and the scope of a grant @throws JarvisError `invalid_request`,
   * `forbidden`
   */
  check(known: StoredConfirmation, request: DecideRequest): { other: OtherCall | undefined; scope: Scope | undefined } {
    const { confirmed, grant, goesBackAfterMin, alternative, breakGlass } = request
    if (grant !== undefined && !(confirmed && known.card.isGrantable))
      throw invalid('grant', confirmed ? 'This call must be asked for each time' : 'A grant is made with an approval')
    if (goesBackAfterMin !== undefined && !(confirmed && known.card.mayGoBack))
      throw invalid(
        'goesBackAfterMin',
        confirmed ? 'This change cannot go back by itself' : 'Only an approved change goes back',
      )
    const other = alternative && this.#alternativeOf(known, confirmed, alternative)
    if (breakGlass !== undefined) this.#requireGlass(known, confirmed)
    return { other, scope: this.#scopeOf(known, request) }
  }

  /** @returns the receipt of the approval's signature; undefined if no signature is needed @throws JarvisError `proof_required`, `proof_refused` */
  receiptOf(
    { card, bindingHash }: StoredConfirmation,
    request: DecideRequest,
    mustBeSigned: boolean,
  ): Receipt | undefined {
    const { proof, by: person, grant, goesBackAfterMin } = request
    const terms = { grant, goesBackAfterMin, ...(request.breakGlass !== undefined && { alone: true as const }) }
    if (proof !== undefined) return this.#parts.decisions.check(proof, { card, bindingHash, person, terms })
    if (!mustBeSigned) return request.receipt
    const how =
      'Approve it in the dashboard with a passkey, or with jarvis decide ID --sign KEY. Denying needs no signature.'
    throw new JarvisError('proof_required', `This approval must be signed. ${how}`)
  }

  /** @throws JarvisError `invalid_request` if this call cannot run in place of the denied one */
  #alternativeOf({ card }: StoredConfirmation, confirmed: boolean, { toolName, toolInput }: Alternative): OtherCall {
    const { judge, redactValue } = this.#parts
    const no = (why: string) => invalid('alternative', why)
    if (confirmed) throw no('Another call is named with a denial')
    if (!card.mayHaveAlternative) throw no('Nobody would read its result: no model asked for this call')
    const judged = judge(toolName, toolInput)
    if (judged.kind === 'invalid') throw no(redactValue(judged.message))
    if (judged.kind === 'blocked') throw no(redactValue(judged.verdict.reason))
    if (
      hashOf({ toolName, toolInput: judged.input }) === hashOf({ toolName: card.toolName, toolInput: card.toolInput })
    )
      throw no('It is the call that you deny')
    return { toolUseId: newId('tu'), toolName, toolInput }
  }

  /** Checks that an owner may decide the card alone. @throws JarvisError `invalid_request`, `forbidden` */
  #requireGlass({ card }: StoredConfirmation, confirmed: boolean): void {
    if (!confirmed || card.approvals === undefined)
      throw new JarvisError(
        'invalid_request',
        'One approval is enough here: send the decision without breakGlass. Nothing was decided.',
      )
    if (this.#parts.mayBreakGlass()) return
    throw new JarvisError(
      'forbidden',
      'policy.yaml does not let an owner decide alone: it lacks breakGlass: true. Nothing was decided.',
    )
  }

  /**
   * Returns the scope that the card offers for a grant. Computes it again from the call, so that a changed text in the stored card grants nothing.
   * @throws JarvisError `invalid_request`
   */
  #scopeOf({ card, sessionId }: StoredConfirmation, { grant, via }: DecideRequest): Scope | undefined {
    if (grant?.scope === undefined) return undefined
    if (via !== undefined) throw invalid('grant.scope', 'It is given in the dashboard or at the command line')
    const judged = this.#parts.judge(card.toolName, card.toolInput, {
      asker: { ...card.requestedBy, sessionId },
    })
    const [scope] = judged.kind === 'ready' ? judged.grantScopes : []
    if (scope === undefined || card.scope?.id !== grant.scope || scope.id !== grant.scope)
      throw invalid('grant.scope', 'The card does not offer this, or not any more')
    return scope
  }
}

const invalid = (field: string, why: string) =>
  new JarvisError('invalid_request', `${field}: ${why.replace(/\.$/, '')}. Nothing was decided.`)
