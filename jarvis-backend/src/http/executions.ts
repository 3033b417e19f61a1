import type { Executor } from '../calls/execute.ts'
import { post, type Route, untyped } from './route.ts'

/** `/api/executions`: looks again for the outcome of a call whose outcome is unknown. */
export const executionRoutes = (executor: Executor): Route[] => [
  post(
    '/executions/:id/check',
    'Asks the cluster again for the outcome of a lost call; runs nothing.',
    { role: 'operator', reply: untyped<Awaited<ReturnType<Executor['check']>>>('What was found out.') },
    ({ params }) => executor.check(params.id),
  ),
]
