import { Change, ChangesReply, type PersonRef, SentReply } from 'protocol'
import { z } from 'zod'
import type { Runs } from '../agent/runs.ts'
import type { Shown } from '../auth/closed-words.ts'
import type { Changes } from '../calls/changes/changes.ts'
import { get, Ok, ok, post, type Route } from './route.ts'

const Query = z.strictObject({
  target: z.string().max(200).optional(),
  before: z.coerce.number().int().optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  /** Only those that go back by themselves, soonest first. */
  armed: z.literal('true').optional(),
})

/** `/api/changes`: lists what JARVIS changed, keeps a change that would go back by itself, and takes one back. */
export const changeRoutes = ({
  changes,
  runs,
  now,
  shown,
}: {
  changes: Pick<Changes, 'list' | 'armed' | 'one' | 'keep'>
  runs: Pick<Runs, 'start' | 'rename'>
  now(): number
  shown(person: PersonRef): Pick<Shown, 'change'>
}): Route[] => [
  get(
    '/changes',
    'Changes that JARVIS made, newest first, and `now`, the server’s clock. `target` is such as `vm/101`, `before` Unix ms. With `armed`: changes that go back by themselves, soonest first.',
    { role: 'viewer', token: 'read', query: Query, reply: ChangesReply },
    ({ query: { target, before, limit, armed }, identity }) => {
      const query = { limit, target, ...(before !== undefined && { before }) }
      const items = armed === undefined ? changes.list(query) : changes.armed().slice(0, limit)
      // By the server's clock, so that every screen counts down to the same instant.
      return { items: items.map(shown(identity.person).change), now: now() }
    },
  ),
  get('/changes/:id', 'One change.', { role: 'viewer', token: 'read', reply: Change }, ({ params, identity }) =>
    shown(identity.person).change(changes.one(params.id)),
  ),
  post(
    '/changes/:id/keep',
    'Keeps a change that would go back by itself. 409 where it does not any more.',
    { role: 'operator', reply: Ok },
    async ({ params, by }) => {
      await changes.keep(params.id, by)
      return ok
    },
  ),
  // The undo is a call of its own, which the gate judges; the session shows what comes of it.
  post(
    '/changes/:id/undo',
    'Starts the run that takes a change back, by a call through the gate.',
    { role: 'operator', reply: SentReply },
    ({ params, by }) => {
      const { id, sentence } = changes.one(params.id)
      const sent = runs.start({ text: `/undo change=${JSON.stringify(id)}`, by })
      runs.rename(sent.sessionId, `Undo: ${sentence}`)
      return sent
    },
  ),
]
