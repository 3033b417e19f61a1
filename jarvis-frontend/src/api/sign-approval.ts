import type { Card, DecisionProof, DecisionTerms } from 'protocol'
import { passkeyProblem } from '../lib/passkey-problem.ts'
import { askPasskey } from '../lib/passkeys.ts'
import { call } from './http.ts'

/**
 * Asks the person's passkey to sign the approval of a card, including its terms. Does not send the decision.
 * @throws ApiError if the server refuses; Error with text for the card if nothing was signed
 */
export async function signApproval({ toolUseId }: Pick<Card, 'toolUseId'>, terms: DecisionTerms) {
  const { options, problem } = await call('POST /api/confirmations/:id/challenge', {
    params: { id: toolUseId },
    body: terms,
  })
  if (options === undefined) throw new Error(problem ?? 'No passkey can sign this.')
  const response = await askPasskey(options).catch((error: unknown) => {
    throw new Error(passkeyProblem(error) ?? 'Nothing was signed, so nothing was decided. The card waits.')
  })
  return { type: 'passkey', response } as DecisionProof
}
