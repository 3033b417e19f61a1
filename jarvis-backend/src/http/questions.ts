import { Router } from 'express'
import type { Questions } from '../calls/questions/questions.ts'
import { AnswerBody, type QuestionsReply } from '../protocol/index.ts'
import { identityOf, operatorOnly, param, read } from './handle.ts'

const dayMs = 24 * 60 * 60_000

/** `/api/questions`: lists the questions of the last day and answers one. */
export function questionRoutes(questions: Pick<Questions, 'list' | 'answer'>, now: () => number): Router {
  const router = Router()
  router.get('/', (_request, response) => {
    response.json({ items: questions.list(now() - dayMs) } satisfies QuestionsReply)
  })
  router.post('/:id', operatorOnly, (request, response) => {
    const body = read(AnswerBody, request.body)
    questions.answer({ ...body, questionId: param(request, 'id'), by: identityOf(response).sub })
    response.json({ ok: true })
  })
  return router
}
