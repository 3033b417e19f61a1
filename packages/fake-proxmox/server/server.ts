import type { IncomingMessage, ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import type { PveMethod } from 'homelab-ports/ports'
import { systemClock } from 'node-kit/clock'
import { Refusal } from '../src/pve-model/refusal.ts'
import { answer } from '../src/pve-model/route.ts'
import { routes as modelRoutes } from '../src/pve-model/routes.ts'
import type { createFakeConsoles } from './consoles.ts'
import { type FakeRights, rightsHave } from './rights.ts'
import { routes, type Scene } from './routes.ts'
import type { FakeNode } from './world.ts'

export type Seen = { method: string; path: string; at: number; form: Record<string, string> }
/** A fault of the next requests whose path contains `match`. */
export type Fault = {
  match: string
  method?: 'GET' | PveMethod
  times: number
} /** It is carried out, and the connection closed without an answer. */ & (
  | { kind: 'lost' }
  /** The connection is closed before it is carried out. */
  | { kind: 'closed' }
  /** No answer ever. */
  | { kind: 'hang' }
  /** Half of the body, then nothing. */
  | { kind: 'half' }
  | { kind: 'garbage' }
  /** This body, as a success. */
  | { kind: 'says'; text: string }
  | { kind: 'status'; status: number; phrase: string }
)

/** `tokens`: further tokens, each with its own rights. */
export type Journal = { changes: Seen[]; requests: Map<string, number>; tokens: Map<string, FakeRights> }

type ConsoleRoute = ReturnType<typeof createFakeConsoles>['route']

/** Serves one way in. `scene` is read at each request. */
export function createHandler(scene: () => Scene, journal: Journal, faults: Fault[], consoles: ConsoleRoute) {
  return async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request)
    const { world, entryNode } = scene()
    const { proxyDelayMs, denyDelayMs, token, isOld, clock = systemClock } = world.options
    const method = request.method ?? ''
    const send = (status: number, phrase: string, content: string) => {
      const close = status >= 400 ? { connection: 'close' } : {}
      response.writeHead(status, phrase, {
        server: 'pve-api-daemon/3.0',
        date: new Date(world.now()).toUTCString(),
        'content-type': 'application/json;charset=UTF-8',
        ...close,
      })
      response.end(content)
    }
    const refuse = (status: number, message: string, errors?: Record<string, string>) => {
      const said = isOld ? {} : { message: `${message}\n` }
      send(status, message, JSON.stringify({ data: null, ...said, ...(errors && { errors }) }))
    }
    const [rawPath = '', rawQuery = ''] = (request.url ?? '').split('?')
    // The whole path is unescaped before it is looked up.
    const path = decodeURIComponent(rawPath).replace(/^\/api2\/json/, '')
    const hasBody = method === 'POST' || method === 'PUT'
    const form = formOf(hasBody ? body : rawQuery)
    journal.requests.set(`${method} ${path}`, (journal.requests.get(`${method} ${path}`) ?? 0) + 1)

    // The front page is anybody's.
    if (rawPath === '/') {
      const script = '<script type="text/javascript" src="/pve2/js/pvemanagerlib.js?ver=9.2.11"></script>'
      response.writeHead(200, { 'content-type': 'text/html' })
      response.end(`<html><head><title>${entryNode} - Proxmox Virtual Environment</title>${script}</head></html>`)
      return
    }
    const { authorization = '' } = request.headers
    const others = journal.tokens.get(authorization.replace(/^PVEAPIToken=/, ''))
    if (authorization !== `PVEAPIToken=${token}` && others === undefined) {
      clock.after(denyDelayMs, () => send(401, authorization === '' ? 'No ticket' : 'Authentication failed!', ''))
      return
    }
    if (request.headers['transfer-encoding'] !== undefined || (!hasBody && body !== '')) {
      refuse(501, 'not implemented')
      return
    }
    if (hasBody && request.headers['content-type'] !== 'application/x-www-form-urlencoded') {
      refuse(501, 'unexpected content type')
      return
    }
    const fault = faults.find(
      (each) => each.times > 0 && path.includes(each.match) && (each.method ?? method) === method,
    )
    if (fault !== undefined) fault.times -= 1
    switch (fault?.kind) {
      case 'closed':
        request.socket.destroy()
        return
      case 'hang':
        return
      case 'garbage':
        send(200, 'OK', '<html>not what you think</html>')
        return
      case 'says':
        send(200, 'OK', fault.text)
        return
      case 'status':
        send(fault.status, fault.phrase, '')
        return
      default:
    }
    const node = /^\/nodes\/([^/]+)\/./.exec(path)?.[1]
    if (node !== undefined && !world.nodes.has(node)) {
      refuse(
        500,
        `hostname lookup '${node}' failed - failed to get address info for: ${node}: Name or service not known`,
      )
      return
    }
    if (node !== undefined && node !== entryNode && !world.isOnline(node)) {
      const { afterMs, words } = away(world.nodes.get(node), proxyDelayMs)
      clock.after(afterMs, () => send(595, words, ''))
      return
    }
    if (method !== 'GET') journal.changes.push({ method, path, form, at: world.now() })
    try {
      const content = JSON.stringify(
        route(others === undefined ? scene() : { ...scene(), rights: others }, method, path, form, consoles),
      )
      if (fault?.kind === 'lost') request.socket.destroy()
      else if (fault?.kind === 'half') {
        response.writeHead(200, { 'content-length': Buffer.byteLength(content) })
        response.write(content.slice(0, content.length / 2))
      } else if (path.endsWith('/journal')) {
        // Packed, whether or not that was asked for.
        response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
        response.end(gzipSync(content))
      } else send(200, 'OK', content)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      refuse(error.status, error.message, error.errors)
    }
  }
}

/** How a way in answers for a node that is away. A silent address is waited for once, and known for a while. */
function away(node: FakeNode | undefined, proxyDelayMs: number): { afterMs: number; words: string } {
  if (node?.away === 'refuses') return { afterMs: 0, words: 'Connection refused' }
  if (node?.away !== 'silent') return { afterMs: proxyDelayMs, words: 'No route to host' }
  node.away = 'unreachable'
  return { afterMs: 30_200, words: 'Connection timed out' }
}

function route(
  scene: Scene,
  method: string,
  path: string,
  form: Record<string, string>,
  consoles: ConsoleRoute,
): unknown {
  const console = method === consoles.method ? consoles.pattern.exec(path) : null
  if (console !== null) return { data: consoles.run(scene, console.groups ?? {}, form) }
  for (const { method: wanted, pattern, allowed, run } of routes) {
    const match = wanted === method ? pattern.exec(path) : null
    if (match === null) continue
    const problems = Object.entries(form).flatMap(([key, value]) => {
      if (allowed[key] === undefined) {
        return [[key, 'property is not defined in schema and the schema does not allow additional properties']]
      }
      return allowed[key].test(value) ? [] : [[key, `value '${value}' is not allowed`]]
    })
    if (problems.length > 0) {
      throw new Refusal(400, 'Parameter verification failed.', Object.fromEntries(problems) as Record<string, string>)
    }
    return { data: run(scene, match.groups ?? {}, form) }
  }
  const { world, rights } = scene
  const said = answer(modelRoutes, world.model, { method, path, values: form }, ({ path: at, anyOf }) =>
    anyOf.some((right) => rightsHave(rights, at, right)),
  )
  if (said !== undefined) return said
  throw new Refusal(501, `Method '${method} ${path}' not implemented`)
}

/** A list's items have a zero byte between. */
function formOf(text: string): Record<string, string> {
  const given = new URLSearchParams(text)
  return Object.fromEntries([...given.keys()].map((key) => [key, given.getAll(key).join('\0')]))
}

async function text(request: IncomingMessage): Promise<string> {
  let all = ''
  for await (const piece of request.setEncoding('utf8')) all += piece
  return all
}
