import { existsSync } from 'node:fs'
import { extname, join } from 'node:path'
import express, { type RequestHandler, Router } from 'express'
import { JarvisError } from 'protocol'

/** First path segments that do not belong to the dashboard; their clients expect JSON. */
const served = new Set([
  'assets',
  'api',
  'jarvis',
  'v1',
  'mcp',
  'oauth',
  '.well-known',
  'socket.io',
  'health',
  'metrics',
])
/** The one page of the dashboard below these path segments. */
const consentPage = '/oauth/authorize'

const endings = { br: '.br', gzip: '.gz' }
const encodings = Object.keys(endings) as (keyof typeof endings)[]

/** Serves the built dashboard. Hashed files are cached for a year; any path that nothing else serves returns the page, unless the client asks for JSON. */
export function dashboard(dir: string): Router {
  const router = Router()
  const files = express.static(dir, { index: false, setHeaders: alwaysAsk })
  const assets = express.static(join(dir, 'assets'), { immutable: true, maxAge: '1y' })
  router.use('/assets', compressed(join(dir, 'assets')), assets)
  router.use(compressed(dir), files)
  router.get('/{*path}', (request, _response, next) => {
    if (!isPage(request.path) || request.accepts(['html', 'json']) === 'json') return next('router')
    if (!existsSync(join(dir, 'index.html'))) {
      throw new JarvisError('not_found', 'The dashboard is not built. Run: npm run build')
    }
    request.url = '/index.html'
    next()
  })
  router.use(compressed(dir), files)
  return router
}

const alwaysAsk = (response: { setHeader(name: string, value: string): unknown }) =>
  response.setHeader('Cache-Control', 'no-cache')

function isPage(path: string): boolean {
  const [first = '', ...rest] = path.slice(1).toLowerCase().split('/')
  if (served.has(first)) return path === consentPage
  // A first part with a dot is a missing file, such as /favicon.ico. Later parts may have dots: ids of sessions do.
  return rest.length > 0 || !first.includes('.')
}

/**
 * Serves the compressed form of a built file if the client accepts it. Each form has its own ETag. Of the API, only answers without
 * secrets are compressed: if an answer contains a secret beside an attacker's text, the length of its compressed form reveals the secret (BREACH).
 */
function compressed(dir: string): RequestHandler {
  return (request, response, next) => {
    const { path } = request
    if ((request.method !== 'GET' && request.method !== 'HEAD') || !/^(?:\/[\w-][\w.-]*)+$/.test(path)) return next()
    const there = encodings.filter((encoding) => existsSync(join(dir, path + endings[encoding])))
    if (there.length === 0) return next()
    response.vary('Accept-Encoding')
    // Browsers list gzip first without preferring it, so the first form in JARVIS's own order is chosen, which is smaller.
    const chosen = there.find((encoding) => request.acceptsEncodings(encoding) !== false)
    if (chosen !== undefined) {
      response.set('Content-Encoding', chosen).type(extname(path))
      request.url = path + endings[chosen]
    }
    next()
  }
}
