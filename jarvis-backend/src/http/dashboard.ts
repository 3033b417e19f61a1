import { existsSync } from 'node:fs'
import { extname, join } from 'node:path'
import express, { type RequestHandler, Router } from 'express'
import { JarvisError } from '../protocol/index.ts'

/** First parts of paths that are not the page's: who asks below them reads JSON. */
const served = new Set(['assets', 'api', 'v1', 'mcp', 'oauth', '.well-known', 'socket.io', 'health', 'metrics'])
/** The one page below them. */
const consentPage = '/oauth/authorize'

const endings = { br: '.br', gzip: '.gz' }
const encodings = Object.keys(endings) as (keyof typeof endings)[]

/** The built dashboard: files with a hash in their name are kept for ever, and every path that nothing else serves is the page itself. */
export function dashboard(dir: string): Router {
  const router = Router()
  const files = express.static(dir, { index: false, setHeaders: alwaysAsk })
  const assets = express.static(join(dir, 'assets'), { immutable: true, maxAge: '1y' })
  router.use('/assets', compressed(join(dir, 'assets')), assets)
  router.use(compressed(dir), files)
  router.get('/{*path}', (request, _response, next) => {
    if (!isPage(request.path)) return next('router')
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
  // A file that is not there, such as /favicon.ico. The id of a session may have a dot as well.
  return rest.length > 0 || !first.includes('.')
}

/**
 * Leads to what the build compressed, where the client takes it. Each form is a file of its own, with an ETag of its own.
 * Only files that are the same for everybody pass here. Answers of the API never do: compressed, the length of an answer
 * that holds a secret beside an attacker's text tells of the secret (BREACH).
 */
function compressed(dir: string): RequestHandler {
  return (request, response, next) => {
    const { path } = request
    if ((request.method !== 'GET' && request.method !== 'HEAD') || !/^(?:\/[\w-][\w.-]*)+$/.test(path)) return next()
    const there = encodings.filter((encoding) => existsSync(join(dir, path + endings[encoding])))
    if (there.length === 0) return next()
    response.vary('Accept-Encoding')
    // Browsers name gzip first and mean nothing by it: the smaller form goes to all who take it.
    const chosen = there.find((encoding) => request.acceptsEncodings(encoding) !== false)
    if (chosen !== undefined) {
      response.set('Content-Encoding', chosen).type(extname(path))
      request.url = path + endings[chosen]
    }
    next()
  }
}
