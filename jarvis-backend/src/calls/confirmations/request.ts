import { hashOf } from 'node-kit/canonical'
import { type Alternative, type DecisionProof, type GrantRequest, JarvisError } from 'protocol'
import type { Scope } from '../../gate/index.ts'
import { newId } from '../../lib/ids.ts'
import type { Decisions } from '../../signing/decisions.ts'
import type { Receipt } from '../../signing/receipt.ts'
import type { Judge } from '../judge.ts'
import type { StoredConfirmation } from '../ports.ts'

export type DecideRequest = {
  toolUseId: string
  /** Where given, it must be the confirmation's own. */
  sessionId?: string
  confirmed: boolean
  note?: string
  /** With an approval: lets the same call run again. */
  grant?: GrantRequest | undefined
  /** With a denial: the operator's own call in place of the denied one. */
  alternative?: Alternative | undefined
  /** With an approval: the change goes back by itself so many minutes after it began, unless it is kept. */
  goesBackAfterMin?: number | undefined
  by: string
  /** The channel that the decision came over. */
  via?: string
  /** With an approval: why an owner decides without the others who must approve. The door has asked for the password again. */
  breakGlass?: string | undefined
  /** With an approval: what the person signed. */
  proof?: DecisionProof | undefined
  /** What a device signed for a button of its notification, checked by its door. It serves no card that must be signed. */
  receipt?: Receipt | undefined
  /** For repeated requests; `remember` stores the answer in the decision's transaction. */
  once?: { isAnswered(): boolean; remember(): void }
}

/** Checks that a card can be decided in the way that a request asks for. Each check throws before anything is decided. */
export function createRequestChecks(parts: {
  judge: Judge
  decisions: Pick<Decisions, 'check'>
  /** Whether the policy lets an owner decide alone what several people must approve. */
  mayBreakGlass(): boolean
  redactValue<T>(value: T): T
}) {
  /** @throws JarvisError `invalid_request` where the call cannot be made in place of the denied one */
  function alternativeOf({ card }: StoredConfirmation, confirmed: boolean, { toolName, toolInput }: Alternative) {
    const no = (why: string) => invalid('alternative', why)
    if (confirmed) throw no('Another call is named with a denial')
    if (!card.mayHaveAlternative) throw no('Nobody would read its result: no model asked for this call')
    const judged = parts.judge(toolName, toolInput)
    if (judged.kind === 'invalid') throw no(parts.redactValue(judged.message))
    if (judged.kind === 'blocked') throw no(parts.redactValue(judged.verdict.reason))
    if (
      hashOf({ toolName, toolInput: judged.input }) === hashOf({ toolName: card.toolName, toolInput: card.toolInput })
    )
      throw no('It is the call that you deny')
    return { toolUseId: newId('tu'), toolName, toolInput }
  }

  /** @throws JarvisError `invalid_request`, `forbidden` */
  function requireGlass({ card }: StoredConfirmation, confirmed: boolean): void {
    if (!confirmed || card.approvals === undefined)
      throw new JarvisError(
        'invalid_request',
        'One approval is enough here: send the decision without breakGlass. Nothing was decided.',
      )
    if (parts.mayBreakGlass()) return
    throw new JarvisError(
      'forbidden',
      'policy.yaml does not let an owner decide alone: it lacks breakGlass: true. Nothing was decided.',
    )
  }

  /**
   * What the card offers for more than its call, found again now: the words of a stored card give nothing away.
   * @throws JarvisError `invalid_request`
   */
  function scopeOf({ card, sessionId }: StoredConfirmation, { grant, via }: DecideRequest): Scope | undefined {
    if (grant?.scope === undefined) return undefined
    if (via !== undefined) throw invalid('grant.scope', 'It is given in the dashboard or at the command line')
    const judged = parts.judge(card.toolName, card.toolInput, undefined, { ...card.requestedBy, sessionId })
    const [scope] = judged.kind === 'ready' ? judged.grantScopes : []
    if (scope === undefined || card.scope?.id !== grant.scope || scope.id !== grant.scope)
      throw invalid('grant.scope', 'The card does not offer this, or not any more')
    return scope
  }

  return {
    /** @returns what the request makes besides the decision. @throws JarvisError `invalid_request`, `forbidden` */
    check(known: StoredConfirmation, request: DecideRequest) {
      const { confirmed, grant, goesBackAfterMin, alternative, breakGlass } = request
      if (grant !== undefined && !(confirmed && known.card.isGrantable))
        throw invalid('grant', confirmed ? 'This call must be asked for each time' : 'A grant is made with an approval')
      if (goesBackAfterMin !== undefined && !(confirmed && known.card.mayGoBack))
        throw invalid(
          'goesBackAfterMin',
          confirmed ? 'This change cannot go back by itself' : 'Only an approved change goes back',
        )
      const other = alternative && alternativeOf(known, confirmed, alternative)
      if (breakGlass !== undefined) requireGlass(known, confirmed)
      return { other, scope: scopeOf(known, request) }
    },
    /** @returns what the approval was signed with; undefined where it need not be. @throws JarvisError `proof_required`, `proof_refused` */
    receiptOf({ card, bindingHash }: StoredConfirmation, request: DecideRequest, mustBeSigned: boolean) {
      const { proof, by: person, grant, goesBackAfterMin } = request
      const terms = { grant, goesBackAfterMin, ...(request.breakGlass !== undefined && { alone: true as const }) }
      if (proof !== undefined) return parts.decisions.check(proof, { card, bindingHash, person, terms })
      if (!mustBeSigned) return request.receipt
      const how =
        'Approve it in the dashboard with a passkey, or with jarvis decide ID --sign KEY. Denying needs no signature.'
      throw new JarvisError('proof_required', `This approval must be signed. ${how}`)
    },
  }
}

const invalid = (field: string, why: string) =>
  new JarvisError('invalid_request', `${field}: ${why.replace(/\.$/, '')}. Nothing was decided.`)
