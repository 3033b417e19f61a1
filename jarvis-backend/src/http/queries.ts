import { type RequestHandler, Router } from 'express'
import { z } from 'zod'
import { read } from './handle.ts'

/** The routes that take a query, below `/api`. Each reads it as a strict object. */
const withQuery = [
  '/sessions',
  '/sessions/:id/entries',
  '/sessions/:id/export',
  '/memory/search',
  '/journal',
  '/logs',
  '/samples',
  '/doctor',
]
const nothing = z.strictObject({})

/** Refuses every query parameter by its name: a filter without effect would look as if it had one. */
export const noQuery: RequestHandler = (request, _response, next) => {
  read(nothing, request.query)
  next()
}

/** Refuses query parameters on every route that reads none. */
export function strayQueries(): Router {
  const router = Router()
  router.get(withQuery, (_request, _response, next) => next('router'))
  router.use(noQuery)
  return router
}
