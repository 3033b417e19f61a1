import { BreakGlassBody, ChallengeBody, ConfirmationRow, ConfirmBody, DecisionChallenge } from 'protocol'
import { z } from 'zod'
import type { OriginOf } from '../auth/public-origin.ts'
import type { SessionReach } from '../auth/reach.ts'
import type { Confirmations } from '../calls/confirmations/confirmations.ts'
import { Ok, ok, type Route, route } from './route.ts'

const dayMs = 24 * 60 * 60_000

/** `/api/confirmations`: lists the cards of the last day and decides one. */
export const confirmationRoutes = ({
  confirmations,
  reach,
  now,
  originOf,
}: {
  confirmations: Confirmations
  reach(): SessionReach
  now(): number
  originOf: OriginOf
}): Route[] => [
  route('/confirmations').get(
    'The cards that wait, and those decided in the last day.',
    { role: 'viewer', forMembers: true, token: 'read', reply: z.object({ items: z.array(ConfirmationRow) }) },
    ({ identity }) => {
      if (identity.role === 'operator') confirmations.seen()
      const { person } = identity
      return { items: confirmations.list(now() - dayMs).filter(({ sessionId }) => reach().reads(person, sessionId)) }
    },
  ),
  route('/confirmations/:id').post(
    'Decides a card. `grant` is `{minutes?, uses?, forHelpers?, scope?}`; `scope` is the id of the card’s `scope`, for [calls of its kind in a folder or on a site](workbench.md#allow-a-folder-or-a-site), and takes both bounds. With a denial, `alternative` is [the operator’s own call](safety.md#permissions-in-words) `{toolName, toolInput}` where the card has `mayHaveAlternative`; `goesBackAfterMin` (1 to 1440) where it has `mayGoBack`. An approval takes `proof`, a [signature](signed-decisions.md), where the card has `proof`.',
    { role: 'operator', body: ConfirmBody, reply: Ok },
    async ({ params, body: { confirmed, note, grant, alternative, goesBackAfterMin, proof }, by }) => {
      await confirmations.decide({
        toolUseId: params.id,
        confirmed,
        by,
        grant,
        alternative,
        goesBackAfterMin,
        proof,
        note,
      })
      return ok
    },
  ),
  route('/confirmations/:id/challenge').post(
    'The challenge to [sign](signed-decisions.md) to approve a card, once, within two minutes: `statement` is the exact text, `lines` the same for a person, `options` for `navigator.credentials.get`.',
    { role: 'operator', body: ChallengeBody, reply: DecisionChallenge },
    ({ params, body: { decision: _, ...terms }, by, request }) =>
      confirmations.challenge({ toolUseId: params.id, by, origin: originOf(request), terms }),
  ),
  route('/confirmations/:id/break-glass').post(
    'Approves a card as an owner, without the others who [must approve it](roles.md#breaking-the-glass), where `policy.yaml` allows that. Every owner is told of the reason. It takes `proof` where the card has `proof`: a signature of a challenge with `alone`.',
    { role: 'operator', password: true, body: BreakGlassBody, reply: Ok },
    async ({ params, body: { reason, proof }, by }) => {
      await confirmations.decide({ toolUseId: params.id, confirmed: true, by, breakGlass: reason, proof })
      return ok
    },
  ),
  route('/confirmations/:id/denial').delete(
    'Lifts a denial: an MCP client may ask for the call again.',
    { role: 'operator' },
    ({ params, by }) => confirmations.lift(params.id, by),
  ),
]
