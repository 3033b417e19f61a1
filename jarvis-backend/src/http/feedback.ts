import { Feedback, FeedbackAbout, FeedbackBody, FeedbackPage, FeedbackQuery } from 'protocol'
import { z } from 'zod'
import type { Identity } from '../auth/tokens.ts'
import { sendText } from './handle.ts'
import { type Route, route } from './route.ts'

/** Feedback as the routes need it. What a person does not see is left out. */
export interface FeedbackDesk {
  page(query: FeedbackQuery, reader: Identity): z.infer<typeof FeedbackPage>
  /** All feedback that a person sees, newest first, a JSON line each. */
  lines(about: z.infer<typeof FeedbackAbout> | undefined, reader: Identity): AsyncGenerator<string>
  /** @throws JarvisError `unknown_session`, `invalid_request` */
  give(given: FeedbackBody, giver: Identity): Feedback
  /** @throws JarvisError `not_found` */
  remove(id: string, remover: Identity): void
}

/** `/api/feedback`: what people said of answers and of JARVIS. */
export const feedbackRoutes = (desk: FeedbackDesk): Route[] => [
  route('/feedback').get(
    'Ratings of answers and texts on JARVIS, newest first: operators see everybody’s, other people their own. Nothing of it leaves this machine.',
    { role: 'viewer', forMembers: true, token: 'read', query: FeedbackQuery, reply: FeedbackPage },
    ({ query, identity }) => desk.page(query, identity),
  ),
  route('/feedback/export').get(
    'The same as JSON lines.',
    {
      role: 'viewer',
      forMembers: true,
      query: z.strictObject({ about: FeedbackAbout.optional() }),
      media: ['application/x-ndjson'],
    },
    async ({ query, identity, response }) => {
      response.attachment('jarvis-feedback.jsonl').type('application/x-ndjson')
      await sendText(desk.lines(query.about, identity), response)
    },
  ),
  route('/feedback').post(
    'Says something of JARVIS. An answer is rated with `PUT /api/sessions/:id/entries/:seq/rating`.',
    { role: 'viewer', forMembers: true, status: 201, body: FeedbackBody, reply: Feedback },
    ({ body, identity }) => desk.give(body, identity),
  ),
  route('/feedback/:id').delete(
    'Deletes a text on JARVIS; whoever is no operator, one of their own.',
    { role: 'viewer', forMembers: true },
    ({ params, identity }) => desk.remove(params.id, identity),
  ),
]
