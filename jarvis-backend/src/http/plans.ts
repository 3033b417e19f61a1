import { type PersonRef, PlanRun, PlanRunsPage, RunbookRunReply } from 'protocol'
import { z } from 'zod'
import type { Shown } from '../auth/closed-words.ts'
import { type Route, route } from './route.ts'

const Query = z.strictObject({
  before: z.coerce.number().int().optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
})

/** The part of the plans that the routes use. `next`: a cursor for `before`. */
export type PlanList = {
  list(query: { limit: number; before?: number }): PlanRun[]
  /** @throws JarvisError `not_found` */
  one(id: string): PlanRun
  /** Stops the plan after its present step, or at once if that step waits. @throws JarvisError `not_found`, `conflict` */
  stop(id: string, by: string): PlanRun
  /** Starts the plan that undoes this one; the session shows its card. @throws JarvisError `not_found`, `conflict` */
  undo(id: string, by: string): RunbookRunReply
  shown(person: PersonRef): Pick<Shown, 'plan'>
}

/** `/api/plans`: lists the plans that have started, newest first; stops a plan, and undoes a plan. */
export const planRoutes = ({ list, one, stop, undo, shown }: PlanList): Route[] => [
  route('/plans').get(
    'Plans that began, newest first. `before` is Unix ms.',
    { role: 'viewer', token: 'read', query: Query, reply: PlanRunsPage },
    ({ query: { limit, before }, identity }) => {
      const found = list({ limit: limit + 1, before })
      const items = found.slice(0, limit).map(shown(identity.person).plan)
      const last = items.at(-1)
      return { items, ...(found.length > limit && last && { next: String(last.startedAt) }) }
    },
  ),
  route('/plans/:id').get('One plan.', { role: 'viewer', token: 'read', reply: PlanRun }, ({ params, identity }) =>
    shown(identity.person).plan(one(params.id)),
  ),
  route('/plans/:id/stop').post(
    'Stops a plan after its present step, or at once where a step waits. 409 where it is over.',
    { role: 'operator', reply: PlanRun },
    ({ params, by }) => stop(params.id, by),
  ),
  route('/plans/:id/undo').post(
    'Starts the [plan that takes its changes back](plans.md#taking-a-plan-back), in a session where its card appears. 409 where it is not over or nothing can be taken back.',
    { role: 'operator', reply: RunbookRunReply },
    ({ params, by }) => undo(params.id, by),
  ),
]
