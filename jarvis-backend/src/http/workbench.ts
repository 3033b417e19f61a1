import { DiffReply, type FileDiff, WorkbenchBody, WorkbenchPreview, WorkbenchReply } from 'protocol'
import type { Identity } from '../auth/tokens.ts'
import { type Route, route } from './route.ts'

/**
 * `/api/workbench`: the areas that are on, their missing requirements, and the roots; turns areas on and off; and returns the whole diff of a card.
 */
export const workbenchRoutes = (workbench: {
  state(): Promise<WorkbenchReply>
  /** @throws JarvisError `invalid_request`, `conflict` */
  preview(body: WorkbenchBody): WorkbenchPreview
  /** @throws JarvisError as `preview` */
  save(body: WorkbenchBody, by: string): void
  /** Returns the whole diff of a card. @throws JarvisError `unknown_confirmation` if there is no such card, or the person may not see it */
  diff(toolUseId: string, person: Identity['person']): Promise<FileDiff[]>
}): Route[] => [
  route('/workbench').get(
    'The areas of the workbench: whether each is on, what it lacks on this machine and how to get it, and the roots.',
    { role: 'viewer', token: 'read', reply: WorkbenchReply },
    () => workbench.state(),
  ),
  route('/workbench/preview').post(
    'The changes of `policy.yaml` that saving a section would make; writes nothing.',
    { role: 'owner', body: WorkbenchBody, reply: WorkbenchPreview },
    ({ body }) => workbench.preview(body),
  ),
  route('/workbench').put(
    'Writes the section `workbench` of `policy.yaml`, and keeps the rest of the file. 409 where the file is broken or not the one of `hash`.',
    { role: 'owner', password: true, body: WorkbenchBody, reply: WorkbenchReply },
    ({ body, by }) => {
      workbench.save(body, by)
      return workbench.state()
    },
  ),
  route('/workbench/diff/:toolUseId').get(
    'Every line that a card’s call changes, where the card shows the first 200.',
    { role: 'viewer', token: 'read', reply: DiffReply },
    async ({ params, identity }) => ({ items: await workbench.diff(params.toolUseId, identity.person) }),
  ),
]
