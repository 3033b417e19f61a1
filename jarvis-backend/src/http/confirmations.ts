import { z } from 'zod'
import type { Confirmations } from '../calls/confirmations/confirmations.ts'
import { ConfirmationRow, ConfirmBody } from '../protocol/index.ts'
import { del, get, Ok, ok, post, type Route } from './route.ts'

const dayMs = 24 * 60 * 60_000

/** `/api/confirmations`: lists the cards of the last day and decides one. */
export const confirmationRoutes = (confirmations: Confirmations, now: () => number): Route[] => [
  get(
    '/confirmations',
    'The cards that wait, and those decided in the last day.',
    { role: 'viewer', reply: z.object({ items: z.array(ConfirmationRow) }) },
    ({ identity }) => {
      if (identity.role === 'operator') confirmations.seen()
      return { items: confirmations.list(now() - dayMs) }
    },
  ),
  post(
    '/confirmations/:id',
    'Decides a card. `grant` is `{minutes?, uses?}`. With a denial, `alternative` is [the operator’s own call](safety.md#permissions-in-words) `{toolName, toolInput}` where the card has `mayHaveAlternative`; `goesBackAfterMin` (1 to 1440) where it has `mayGoBack`.',
    { role: 'operator', body: ConfirmBody, reply: Ok },
    async ({ params, body: { confirmed, note, grant, alternative, goesBackAfterMin }, by }) => {
      await confirmations.decide({
        toolUseId: params.id,
        ...{ confirmed, by, grant, alternative, goesBackAfterMin },
        ...(note !== undefined && { note }),
      })
      return ok
    },
  ),
  del(
    '/confirmations/:id/denial',
    'Lifts a denial: an MCP client may ask for the call again.',
    { role: 'operator' },
    ({ params, by }) => confirmations.lift(params.id, by),
  ),
]
