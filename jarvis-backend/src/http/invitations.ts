import type { Request } from 'express'
import { Invitation, InvitationBody, InvitationReply } from 'protocol'
import { z } from 'zod'
import type { Links } from '../auth/links.ts'
import { type Route, route } from './route.ts'

/** `/api/people/invitations`: links by which somebody becomes a person here. @param parts.linkOf the link of a secret */
export function invitationRoutes(parts: { links: Links; linkOf(secret: string, request: Request): string }): Route[] {
  const { links, linkOf } = parts
  return [
    route('/people/invitations').get(
      'The [invitations](people.md#invite-somebody) that wait to be used.',
      { role: 'owner', reply: z.object({ items: z.array(Invitation) }) },
      () => ({ items: links.invitations() }),
    ),
    route('/people/invitations').post(
      'Invites somebody: `link` is shown once, and is used once within 72 h. It ends with your being an owner.',
      { role: 'owner', password: true, status: 201, body: InvitationBody, reply: InvitationReply },
      ({ body, identity, request }) => {
        const { secret, ...invitation } = links.invite(body, identity.person.id)
        return { ...invitation, link: linkOf(secret, request) }
      },
    ),
    route('/people/invitations/:id').delete(
      'Withdraws an invitation.',
      { role: 'owner' },
      ({ params: { id }, identity }) => links.withdraw(id, identity.person.id),
    ),
  ]
}
