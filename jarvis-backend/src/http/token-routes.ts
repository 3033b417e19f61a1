import type { RequestHandler } from 'express'
import { JarvisError, type TokenScope } from '../protocol/index.ts'
import { identityOf } from './handle.ts'

/** What a token that reads may get. Nothing here is a secret, or what only an operator may see. */
const reads = [
  '/status',
  '/cluster',
  '/sessions',
  '/sessions/:id',
  '/sessions/:id/versions',
  '/sessions/:id/children',
  '/sessions/:id/entries',
  '/sessions/:id/snapshot',
  '/sessions/:id/events',
  '/sessions/:id/export',
  '/sessions/:id/images/:imageId',
  '/sessions/:id/context',
  '/sessions/:id/checkpoints',
  '/sessions/:id/checkpoints/:seq',
  '/confirmations',
  '/questions',
  '/grants',
  '/guests/:vmid',
  '/guests/:vmid/snapshots/:name',
  '/changes',
  '/changes/:id',
  '/plans',
  '/plans/:id',
  '/jobs',
  '/jobs/:id',
  '/jobs/:id/slots',
  '/jobs/:id/slots/:slot',
  '/heartbeat',
  '/alerts',
  '/alerts/history',
  '/alerts/:id',
  '/checks',
  '/windows',
  '/limits',
  '/node-roles',
  '/proofs',
  '/samples',
  '/budgets',
  '/runbooks',
  '/runbooks/:name',
  '/skills',
  '/skills/:name',
  '/agents',
  '/agents/which',
  '/agents/:id',
  '/tools',
  '/tools/calls',
  '/tools/:name',
  '/events',
  '/memory/search',
  '/memory/status',
  '/journal',
  '/journal/verify',
  '/openapi.json',
]
/** These say what a call would get. They change nothing. */
const previews = ['/tools/:name/classify', '/agents/:id/classify', '/jobs/preview']

/** What a token that asks may do besides, in sessions of its own. */
const asks = ['/sessions', '/sessions/:id/messages', '/sessions/:id/abort']

/**
 * Routes below `/api` that an API token may use, with the scope that each needs; all others are closed to tokens. None of them decides, changes a
 * setting or makes a token.
 */
const open: ReadonlyMap<string, TokenScope> = new Map([
  ...reads.map((path) => [`get ${path}`, 'read'] as const),
  ...previews.map((path) => [`post ${path}`, 'read'] as const),
  ...asks.map((path) => [`post ${path}`, 'ask'] as const),
])

/** The scope that a token needs for a route; undefined where the route is closed to tokens. @param path as express writes it, below `/api` */
export const tokenScopeOf = (method: string, path: string): TokenScope | undefined => open.get(`${method} ${path}`)

/** Refuses API tokens that lack the scope. @throws JarvisError `forbidden` */
export const requireScope =
  (scope: TokenScope | undefined): RequestHandler =>
  (request, response, next) => {
    const { token } = identityOf(response)
    if (token === undefined) return next()
    if (scope === undefined) {
      const path = request.originalUrl.split('?', 1)[0]
      throw new JarvisError(
        'forbidden',
        `An API token may not use ${request.method} ${path}. A person who is signed in may.`,
      )
    }
    if (scope === 'ask' && token.scope === 'read') {
      throw new JarvisError('forbidden', `The token ${token.name} may only read. Make one with the scope ask.`)
    }
    next()
  }
