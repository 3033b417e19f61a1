import { type RequestHandler, Router } from 'express'
import { z } from 'zod'
import { read } from './handle.ts'

/** Routes below `/api` that take a query. Each parses its query as a strict object. */
const withQuery = [
  '/sessions',
  '/sessions/:id/entries',
  '/sessions/:id/export',
  '/sessions/:id/context',
  '/sessions/:id/snapshot',
  '/sessions/:id/events',
  '/memory/search',
  '/journal',
  '/changes',
  '/plans',
  '/jobs/:id/slots',
  '/logs',
  '/samples',
  '/doctor',
  '/alerts/history',
  '/skills',
  '/skills/:name',
  '/agents/which',
]
const nothing = z.strictObject({})

/** Refuses every query parameter by name, because an ignored filter would look as if it worked. @throws JarvisError `invalid_request` */
export const noQuery: RequestHandler = (request, _response, next) => {
  read(nothing, request.query)
  next()
}

/** Applies `noQuery` to every route that takes no query. */
export function strayQueries(): Router {
  const router = Router()
  router.get(withQuery, (_request, _response, next) => next('router'))
  router.use(noQuery)
  return router
}
