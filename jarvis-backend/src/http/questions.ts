import { AnswerBody, QuestionsReply } from 'protocol'
import type { SessionReach } from '../auth/reach.ts'
import type { Questions } from '../calls/questions/questions.ts'
import { Ok, ok, type Route, route } from './route.ts'

const dayMs = 24 * 60 * 60_000

/** `/api/questions`: lists the questions of the last day and answers one. */
export const questionRoutes = (
  questions: Pick<Questions, 'list' | 'answer'>,
  reach: () => SessionReach,
  now: () => number,
): Route[] => [
  route('/questions').get(
    '[Questions](questions.md) that wait, and those that ended in the last day.',
    { role: 'viewer', forMembers: true, token: 'read', reply: QuestionsReply },
    ({ identity: { person } }) => ({
      items: questions.list(now() - dayMs).filter(({ sessionId }) => reach().reads(person, sessionId)),
    }),
  ),
  route('/questions/:id').post(
    'Answers a question: with `answers`, one `{chosen?, text?}` to each item, with `said` or with `declined`. 409 where it was answered before, 410 where it is over.',
    { role: 'operator', body: AnswerBody, reply: Ok },
    ({ params, body, by }) => {
      questions.answer({ ...body, questionId: params.id, by })
      return ok
    },
  ),
]
