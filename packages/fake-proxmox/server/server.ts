import type { IncomingMessage, ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import type { PveMethod } from 'homelab-ports/ports'
import { systemClock } from 'node-kit/clock'
import { Refusal } from '../src/pve-model/refusal.ts'
import { answer, type Need } from '../src/pve-model/route.ts'
import { routes as modelRoutes } from '../src/pve-model/routes.ts'
import type { createFakeConsoles } from './consoles.ts'
import { type FakeRights, rightsHave } from './rights.ts'
import { routes, type Scene } from './routes.ts'
import type { FakeNode } from './world.ts'

export type Seen = { method: string; path: string; at: number; form: Record<string, string> }
/** A fault that affects the next `times` requests whose path contains `match`. */
export type Fault = {
  match: string
  method?: 'GET' | PveMethod
  times: number
} /** It is carried out, and the connection closed without an answer. */ & (
  | { kind: 'lost' }
  /** Closes the connection before the request is carried out. */
  | { kind: 'closed' }
  /** Never answers. */
  | { kind: 'hang' }
  /** Sends half of the body and then nothing more. */
  | { kind: 'half' }
  | { kind: 'garbage' }
  /** Answers 200 with this text as the body. */
  | { kind: 'says'; text: string }
  | { kind: 'status'; status: number; phrase: string }
)

/** The requests that were received, for tests. `tokens`: further tokens, each with its own rights. */
export type Journal = { changes: Seen[]; requests: Map<string, number>; tokens: Map<string, FakeRights> }

type ConsoleRoute = ReturnType<typeof createFakeConsoles>['route']

/** `scene`: read at each request. */
type HandlerParts = { scene(): Scene; journal: Journal; faults: Fault[]; consoles: ConsoleRoute }

/** A request as the fake server parsed it. */
type Asked = { request: IncomingMessage; method: string; path: string; form: Record<string, string>; body: string }

const mayHaveBody = (method: string) => method === 'POST' || method === 'PUT'

/** Handles the requests to one entry node. */
export function createHandler({ scene: sceneNow, journal, faults, consoles }: HandlerParts) {
  return async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request)
    const scene = sceneNow()
    const method = request.method ?? ''
    const [rawPath = '', rawQuery = ''] = (request.url ?? '').split('?')
    // Like Proxmox, unescape the whole path before looking it up.
    const path = decodeURIComponent(rawPath).replace(/^\/api2\/json/, '')
    const form = formOf(mayHaveBody(method) ? body : rawQuery)
    const asked: Asked = { request, method, path, form, body }
    journal.requests.set(`${method} ${path}`, (journal.requests.get(`${method} ${path}`) ?? 0) + 1)
    // The front page needs no token.
    if (rawPath === '/') {
      sendFrontPage(response, scene.entryNode)
      return
    }
    const reply = new Reply(response, scene)
    const others = journal.tokens.get(tokenIn(request))
    if (!(others !== undefined || isSignedIn(request, reply)) || !isWellFormed(asked, reply)) return
    const fault = faults.find(
      (each) => each.times > 0 && path.includes(each.match) && (each.method ?? method) === method,
    )
    if (fault !== undefined) fault.times -= 1
    if (isOver(fault, request, reply) || isElsewhere(path, reply)) return
    if (method !== 'GET') journal.changes.push({ method, path, form, at: scene.world.now() })
    try {
      const content = JSON.stringify(
        route(others === undefined ? scene : { ...scene, rights: others }, asked, consoles),
      )
      if (fault?.kind === 'lost') request.socket.destroy()
      else if (fault?.kind === 'half') reply.sendHalf(content)
      // Always compressed, even if the client did not ask for it.
      else if (path.endsWith('/journal')) reply.sendPacked(content)
      else reply.send(200, 'OK', content)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      reply.refuse(error.status, error.message, error.errors)
    }
  }
}

/** The answer to one request. */
class Reply {
  readonly #response: ServerResponse
  readonly scene: Scene

  constructor(response: ServerResponse, scene: Scene) {
    this.#response = response
    this.scene = scene
  }

  send(status: number, phrase: string, content: string): void {
    this.#response.writeHead(status, phrase, {
      server: 'pve-api-daemon/3.0',
      date: new Date(this.scene.world.now()).toUTCString(),
      'content-type': 'application/json;charset=UTF-8',
      ...(status >= 400 && { connection: 'close' }),
    })
    this.#response.end(content)
  }

  sendLater(afterMs: number, status: number, phrase: string): void {
    const { clock = systemClock } = this.scene.world.options
    clock.after(afterMs, () => this.send(status, phrase, ''))
  }

  /** Sends half of the content and then nothing more. */
  sendHalf(content: string): void {
    this.#response.writeHead(200, { 'content-length': Buffer.byteLength(content) })
    this.#response.write(content.slice(0, content.length / 2))
  }

  sendPacked(content: string): void {
    this.#response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
    this.#response.end(gzipSync(content))
  }

  refuse(status: number, message: string, errors?: Record<string, string>): void {
    const said = this.scene.world.options.isOld ? {} : { message: `${message}\n` }
    this.send(status, message, JSON.stringify({ data: null, ...said, ...(errors && { errors }) }))
  }
}

function sendFrontPage(response: ServerResponse, entryNode: string): void {
  const script = '<script type="text/javascript" src="/pve2/js/pvemanagerlib.js?ver=9.2.11"></script>'
  response.writeHead(200, { 'content-type': 'text/html' })
  response.end(`<html><head><title>${entryNode} - Proxmox Virtual Environment</title>${script}</head></html>`)
}

const tokenIn = ({ headers: { authorization = '' } }: IncomingMessage) => authorization.replace(/^PVEAPIToken=/, '')

/** True if the request has the cluster's own token. Otherwise answers 401. */
function isSignedIn({ headers: { authorization = '' } }: IncomingMessage, reply: Reply): boolean {
  const { token, denyDelayMs } = reply.scene.world.options
  if (authorization === `PVEAPIToken=${token}`) return true
  reply.sendLater(denyDelayMs, 401, authorization === '' ? 'No ticket' : 'Authentication failed!')
  return false
}

/** True if Proxmox accepts the form of the request's body. Otherwise answers 501. */
function isWellFormed({ request, method, body }: Asked, reply: Reply): boolean {
  const { headers } = request
  if (headers['transfer-encoding'] !== undefined || (!mayHaveBody(method) && body !== '')) {
    reply.refuse(501, 'not implemented')
    return false
  }
  if (mayHaveBody(method) && headers['content-type'] !== 'application/x-www-form-urlencoded') {
    reply.refuse(501, 'unexpected content type')
    return false
  }
  return true
}

/** Applies a fault that acts before the request is carried out. @returns true if the fault ended the request */
function isOver(fault: Fault | undefined, request: IncomingMessage, reply: Reply): boolean {
  switch (fault?.kind) {
    case 'closed':
      request.socket.destroy()
      return true
    case 'hang':
      return true
    case 'garbage':
      reply.send(200, 'OK', '<html>not what you think</html>')
      return true
    case 'says':
      reply.send(200, 'OK', fault.text)
      return true
    case 'status':
      reply.send(fault.status, fault.phrase, '')
      return true
    default:
      return false
  }
}

/** Answers a request for a node that does not exist or that this entry node cannot reach. @returns true if it answered */
function isElsewhere(path: string, reply: Reply): boolean {
  const { world, entryNode } = reply.scene
  const node = /^\/nodes\/([^/]+)\/./.exec(path)?.[1]
  if (node === undefined) return false
  if (!world.nodes.has(node)) {
    reply.refuse(
      500,
      `hostname lookup '${node}' failed - failed to get address info for: ${node}: Name or service not known`,
    )
    return true
  }
  if (node === entryNode || world.isOnline(node)) return false
  const { afterMs, words } = away(world.nodes.get(node), world.options.proxyDelayMs)
  reply.sendLater(afterMs, 595, words)
  return true
}

/**
 * Returns the delay and error with which an entry node answers for an unreachable node. A silent address times out once; afterwards it is known as
 * unreachable.
 */
function away(node: FakeNode | undefined, proxyDelayMs: number): { afterMs: number; words: string } {
  if (node?.away === 'refuses') return { afterMs: 0, words: 'Connection refused' }
  if (node?.away !== 'silent') return { afterMs: proxyDelayMs, words: 'No route to host' }
  node.away = 'unreachable'
  return { afterMs: 30_200, words: 'Connection timed out' }
}

function route(scene: Scene, { method, path, form }: Asked, consoles: ConsoleRoute): unknown {
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
  const may = ({ path: at, anyOf }: Need) => anyOf.some((right) => rightsHave(rights, at, right))
  const said = answer(modelRoutes, { ...world.model, may }, { method, path, values: form })
  if (said !== undefined) return said
  throw new Refusal(501, `Method '${method} ${path}' not implemented`)
}

/** Parses a form. The items of a list are joined by zero bytes. */
function formOf(text: string): Record<string, string> {
  const given = new URLSearchParams(text)
  return Object.fromEntries([...given.keys()].map((key) => [key, given.getAll(key).join('\0')]))
}

async function text(request: IncomingMessage): Promise<string> {
  let all = ''
  for await (const piece of request.setEncoding('utf8')) all += piece
  return all
}
