import { Checkpoint, CheckpointDetail, ContextQuery, ContextReport, JarvisError, pageOf, RunId } from 'protocol'
import { z } from 'zod'
import type { GoingBack } from '../agent/context/going-back.ts'
import type { Reports } from '../agent/context/reports.ts'
import type { Runs } from '../agent/runs.ts'
import { endOf } from './handle.ts'
import { type Route, route } from './route.ts'

/** `/api/sessions/:id/context` and `/fold`: the content of the context window of a session's model, and folding it on request. */
export function contextRoutes(parts: {
  runs: Pick<Runs, 'isRunning' | 'start'>
  reports: Reports
  goingBack: GoingBack
  waitingCounts(): Map<string, number>
}): Route[] {
  const { runs, reports, goingBack } = parts
  /** Returns the reason why the session cannot be folded now; undefined if it can. */
  function resting(id: string): string | undefined {
    const waiting = parts.waitingCounts().get(id) ?? 0
    if (waiting > 0) return waiting === 1 ? 'Something waits for you.' : `${waiting} things wait for you.`
    return runs.isRunning(id) ? 'An answer or a call goes on.' : undefined
  }
  return [
    route('/sessions/:id/context').get(
      'The parts that fill [the model’s window](context.md), their cost, and what a fold would take. `count=exact` asks the provider too.',
      { role: 'viewer', forMembers: true, token: 'read', query: ContextQuery, reply: ContextReport },
      ({ params: { id }, query, response }) =>
        query.count === undefined ? reports.of(id, resting(id)) : reports.counted(id, resting(id), endOf(response)),
    ),
    route('/sessions/:id/fold').post(
      'Folds older turns. 409 with the reason while something is open, or where there is nothing to fold.',
      { role: 'member', status: 202, reply: z.object({ runId: RunId }) },
      ({ params: { id }, by }) => {
        const { because } = reports.of(id, resting(id)).fold
        if (because !== undefined) throw new JarvisError('conflict', `Nothing was folded. ${because}`)
        const { runId } = runs.start({ sessionId: id, text: '/fold', by })
        return { runId }
      },
    ),
    route('/sessions/:id/checkpoints').get(
      'The messages that one can [go back to](context.md#going-back), newest first.',
      { role: 'viewer', forMembers: true, token: 'read', reply: pageOf(Checkpoint) },
      ({ params }) => ({ items: goingBack.list(params.id) }),
    ),
    route('/sessions/:id/checkpoints/:seq').get(
      'The files that would go back, and the changes that stay.',
      { role: 'viewer', forMembers: true, token: 'read', reply: CheckpointDetail },
      ({ params }) => {
        const seq = Number(params.seq)
        if (!Number.isSafeInteger(seq) || seq < 0)
          throw new JarvisError('invalid_request', 'seq: name a message by its seq.')
        return goingBack.detail(params.id, seq)
      },
    ),
  ]
}
