import { Attachment, AttachmentBody, isPicture, JarvisError } from 'protocol'
import type { Attachments } from '../agent/attachments.ts'
import type { TranscriptStore } from '../agent/sessions/transcript-store.ts'
import type { Identity } from '../auth/tokens.ts'
import { senderOf } from './program-messages.ts'
import { type Route, route } from './route.ts'

/** `/api/attachments`: uploads files before the message to which they belong, and reads them in its session. */
export function attachmentRoutes({
  attachments,
  store,
}: {
  attachments: Pick<Attachments, 'upload' | 'discard' | 'read'>
  store: Pick<TranscriptStore, 'session'>
}): Route[] {
  const uploader = (by: string, { token }: Identity) => (token === undefined ? by : senderOf(token))
  return [
    route('/attachments').post(
      'Uploads a picture (PNG, JPEG, WebP, GIF) or a text file for a message: its `id` goes into `attachments`. Kept for a day until it is sent.',
      { role: 'member', token: 'ask', limit: '5mb', status: 201, body: AttachmentBody, reply: Attachment },
      ({ body: { name, data }, by, identity }) =>
        attachments.upload(uploader(by, identity), { name, data: Buffer.from(data, 'base64') }),
    ),
    route('/attachments/:id').delete(
      'Forgets an upload that was not sent.',
      { role: 'member', token: 'ask' },
      ({ params, by, identity }) => attachments.discard(uploader(by, identity), params.id),
    ),
    route('/sessions/:id/attachments/:attachmentId').get(
      'An attached file.',
      { role: 'viewer', forMembers: true, token: 'read', media: ['image/*', 'text/plain'] },
      ({ params: { id, attachmentId }, response }) => {
        const found = store.session(id) && attachments.read(id, attachmentId)
        if (found === undefined) throw new JarvisError('not_found', 'There is no such file in this conversation.')
        response.set({
          'Content-Type': isPicture(found.attachment) ? found.attachment.mimeType : 'text/plain; charset=utf-8',
          'Content-Security-Policy': "default-src 'none'; sandbox",
          // The browser must revalidate the file each time, so that it is not shown after sign-out or after the session was deleted.
          'Cache-Control': 'private, no-cache',
          ETag: `"${attachmentId}"`,
        })
        response.send(found.data)
      },
    ),
  ]
}
