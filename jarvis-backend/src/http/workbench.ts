import { WorkbenchReply } from '../protocol/index.ts'
import { get, type Route } from './route.ts'

/** `/api/workbench`: which areas are on, what they lack, and the roots. */
export const workbenchRoutes = (workbench: { state(): WorkbenchReply }): Route[] => [
  get(
    '/workbench',
    'The areas of the workbench: whether each is on, what it lacks on this machine and how to get it, and the roots.',
    { role: 'viewer', token: 'read', reply: WorkbenchReply },
    () => workbench.state(),
  ),
]
