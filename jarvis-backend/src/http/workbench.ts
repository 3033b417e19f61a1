import type { Identity } from '../auth/tokens.ts'
import { DiffReply, type FileDiff, WorkbenchReply } from '../protocol/index.ts'
import { get, type Route } from './route.ts'

/** `/api/workbench`: which areas are on, what they lack, and the roots; and the whole diff of a card. */
export const workbenchRoutes = (workbench: {
  state(): WorkbenchReply
  /** @throws JarvisError `unknown_confirmation` where there is no such card, or the person does not see it */
  diff(toolUseId: string, person: Identity['person']): FileDiff[]
}): Route[] => [
  get(
    '/workbench',
    'The areas of the workbench: whether each is on, what it lacks on this machine and how to get it, and the roots.',
    { role: 'viewer', token: 'read', reply: WorkbenchReply },
    () => workbench.state(),
  ),
  get(
    '/workbench/diff/:toolUseId',
    'Every line that a card’s call changes, where the card shows the first 200.',
    { role: 'viewer', token: 'read', reply: DiffReply },
    ({ params, identity }) => ({ items: workbench.diff(params.toolUseId, identity.person) }),
  ),
]
