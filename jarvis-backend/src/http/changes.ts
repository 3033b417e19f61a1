import { Change, ChangesReply, type PersonRef, SentReply } from 'protocol'
import { z } from 'zod'
import type { Runs } from '../agent/runs.ts'
import type { Shown } from '../auth/closed-words.ts'
import type { Changes } from '../calls/changes/changes.ts'
import { Ok, ok, type Route, route } from './route.ts'

const Query = z.strictObject({
  target: z.string().max(200).optional(),
  before: z.coerce.number().int().optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  /** Selects only the changes that will be undone automatically, the soonest first. */
  armed: z.literal('true').optional(),
})

/** `/api/changes`: lists the changes that JARVIS made, keeps a change that would be undone automatically, and undoes a change. */
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
  route('/changes').get(
    'Changes that JARVIS made, newest first, and `now`, the server’s clock. `target` is such as `vm/101`, `before` Unix ms. With `armed`: changes that go back by themselves, soonest first.',
    { role: 'viewer', token: 'read', query: Query, reply: ChangesReply },
    ({ query: { target, before, limit, armed }, identity }) => {
      const query = { limit, target, before }
      const items = armed === undefined ? changes.list(query) : changes.armed().slice(0, limit)
      // The server's time, so that all dashboards count down to the same moment.
      return { items: items.map(shown(identity.person).change), now: now() }
    },
  ),
  route('/changes/:id').get('One change.', { role: 'viewer', token: 'read', reply: Change }, ({ params, identity }) =>
    shown(identity.person).change(changes.one(params.id)),
  ),
  route('/changes/:id/keep').post(
    'Keeps a change that would go back by itself. 409 where it does not any more.',
    { role: 'operator', reply: Ok },
    async ({ params, by }) => {
      await changes.keep(params.id, by)
      return ok
    },
  ),
  // The undo is a separate call, which the gate judges. The session shows its outcome.
  route('/changes/:id/undo').post(
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
