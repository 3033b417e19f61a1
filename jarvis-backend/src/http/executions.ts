import { z } from 'zod'
import type { Executor } from '../calls/execute.ts'
import { type Route, route } from './route.ts'

/** `upid`: the task that the call started, if it was found. */
const Reconciled = z.object({
  outcome: z.enum(['done', 'failed', 'unknown']),
  text: z.string(),
  upid: z.string().optional(),
})

/** `/api/executions`: looks again for the outcome of a call if the outcome is unknown. */
export const executionRoutes = (executor: Executor): Route[] => [
  route('/executions/:id/check').post(
    'Asks the cluster again for the outcome of a lost call; runs nothing.',
    { role: 'operator', reply: Reconciled },
    ({ params }) => executor.check(params.id),
  ),
]
