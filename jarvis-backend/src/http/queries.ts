import { Router } from 'express'
import { noQuery } from './route.ts'

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
  '/plans',
  '/jobs/:id/slots',
  '/logs',
  '/samples',
  '/doctor',
  '/skills',
  '/skills/:name',
  '/agents/which',
]
/** Applies `noQuery` to every route that takes no query. */
export function strayQueries(): Router {
  const router = Router()
  router.get(withQuery, (_request, _response, next) => next('router'))
  router.use(noQuery)
  return router
}
