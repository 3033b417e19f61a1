import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { type MakeScratch, makeScratch } from '../scratch.ts'
import { type Place, placeOf, placeText } from './place.ts'
import { type Reaching, reach, type Unreached } from './reach.ts'

/**
 * Decides if a place may be reached. `public`: only at public IP addresses. `private`: also at an IP address of the home network. Undefined:
 * refused.
 */
export type Allows = (place: string) => 'public' | 'private' | undefined

/**
 * A place that somebody tried to reach. `refused`: the reason why the last connection was refused; absent if it was made. The bytes count the
 * content of all connections to the place.
 */
export type Contact = {
  place: string
  refused?: 'not_listed' | Unreached | 'too_much'
  sentBytes: number
  receivedBytes: number
}

/** A proxy for one user: a UNIX socket that accepts HTTP CONNECT and plain HTTP. */
export interface Way {
  /** The socket's path on the host. */
  socket: string
  /** The places that were asked for so far, in order of the first request, at most 200. */
  contacts(): readonly Contact[]
  /** Ends the proxy's connections and removes the socket. */
  close(): Promise<void>
}

/** `log`: called for each connection that has ended and for each refusal. `scratch`: makes the socket's folder. */
export type EgressParts = Reaching & { log?: (contact: Contact) => void; scratch?: MakeScratch }

const mostContacts = 200
const mostConnections = 128
/** The limit of bytes in one direction, for all connections of one proxy together. */
const mostBytes = 1024 ** 3
const idleMs = 60_000
/** Marks the proxy's own answer to a refused request. */
export const refusedHeader = 'x-jarvis-refused'
/** Headers that are not forwarded: they belong to a single connection, or only the proxy may set them. */
const hopByHop = new Set([
  refusedHeader,
  ...['connection', 'proxy-connection', 'keep-alive', 'te', 'trailer', 'upgrade', 'proxy-authorization', 'host'],
])
const words = {
  not_listed: 'is not on the list',
  private: 'is not a public address',
  own: 'is JARVIS itself',
  unresolved: 'has no address',
  unreachable: 'does not answer',
  too_much: 'more than 1 GiB was carried',
} as const

/**
 * Opens a proxy for one user. The host is parsed strictly and compared with the list before it is resolved. All its IP addresses are checked, and
 * the connection goes to one of them. @throws if no socket can be made
 */
export async function openWay(allows: Allows, parts: EgressParts = {}): Promise<Way> {
  const folder = (parts.scratch ?? makeScratch)('egress')
  const path = join(folder.path, 'way')
  const proxy = new EgressProxy(allows, parts)
  await proxy.listen(path)
  return {
    socket: path,
    contacts: () => proxy.contacts(),
    async close() {
      await proxy.close()
      folder.remove()
    },
  }
}

/** The server of one proxy. */
class EgressProxy {
  readonly #allows: Allows
  readonly #parts: EgressParts
  readonly #contacts = new Map<string, Contact>()
  readonly #open = new Set<Duplex>()
  readonly #server: Server
  /** Bytes of the connections that have ended. */
  readonly #carried = { sent: 0, received: 0 }

  constructor(allows: Allows, parts: EgressParts) {
    this.#allows = allows
    this.#parts = parts
    this.#server = createServer((asked, reply) => void this.#forward(asked, reply).catch(() => reply.destroy()))
    this.#server.on(
      'connect',
      (asked, client, head) => void this.#tunnel(asked, client, head).catch(() => client.destroy()),
    )
    this.#server.on('connection', (stream) => this.#keep(stream))
    this.#server.maxConnections = mostConnections
    this.#server.headersTimeout = 10_000
  }

  async listen(path: string): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(path, resolve)
    })
  }

  contacts(): readonly Contact[] {
    return [...this.#contacts.values()]
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve))
    for (const stream of this.#open) stream.destroy()
    await closed
  }

  #contactOf(place: string): Contact {
    const known = this.#contacts.get(place)
    if (known !== undefined) return known
    const contact: Contact = { place, sentBytes: 0, receivedBytes: 0 }
    if (this.#contacts.size < mostContacts) this.#contacts.set(place, contact)
    return contact
  }

  /** Connects to a place if it may be reached. @returns the socket; or the reason of the refusal, which is also recorded for the place */
  async #enter(place: Place): Promise<{ socket: Socket; contact: Contact } | { refused: string }> {
    const text = placeText(place)
    const contact = this.#contactOf(text)
    const refuse = (refused: NonNullable<Contact['refused']>) => {
      contact.refused = refused
      this.#parts.log?.({ ...contact })
      return { refused: `${text}: ${words[refused]}` }
    }
    const allowed = this.#allows(text)
    if (allowed === undefined) return refuse('not_listed')
    if (Math.max(this.#carried.sent, this.#carried.received) > mostBytes) return refuse('too_much')
    const socket = await reach(place, allowed === 'private', this.#parts)
    if (typeof socket === 'string') return refuse(socket)
    delete contact.refused
    socket.setTimeout(idleMs, () => socket.destroy())
    socket.once('close', () => {
      contact.sentBytes += socket.bytesWritten
      contact.receivedBytes += socket.bytesRead
      this.#carried.sent += socket.bytesWritten
      this.#carried.received += socket.bytesRead
      this.#parts.log?.({ ...contact })
    })
    this.#keep(socket)
    return { socket, contact }
  }

  #keep(stream: Duplex): void {
    this.#open.add(stream)
    stream.once('close', () => this.#open.delete(stream))
    stream.on('error', () => stream.destroy())
  }

  /** Counts the bytes while a connection is open, so that one long download reaches the limit like many short ones. */
  #bound(socket: Socket): void {
    socket.on('data', () => {
      const { sent, received } = this.#carried
      if (received + socket.bytesRead > mostBytes || sent + socket.bytesWritten > mostBytes) socket.destroy()
    })
  }

  async #tunnel(asked: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    this.#keep(client)
    const place = placeOf(asked.url ?? '')
    const way = place === undefined ? { refused: 'This is not a host and a port.' } : await this.#enter(place)
    if ('refused' in way) {
      client.end(answer(403, way.refused))
      return
    }
    const { socket } = way
    if (client.destroyed) {
      socket.destroy()
      return
    }
    client.write('HTTP/1.1 200 Connection established\r\n\r\n')
    if (head.length > 0) socket.write(head)
    this.#bound(socket)
    client.pipe(socket).pipe(client)
    client.once('close', () => socket.destroy())
    socket.once('close', () => client.destroy())
  }

  async #forward(asked: IncomingMessage, reply: ServerResponse): Promise<void> {
    const [, authority = '', rest = '/'] = /^http:\/\/([^/?#]*)([/?][^#]*)?/i.exec(asked.url ?? '') ?? []
    const place = placeOf(authority, 80)
    const way = place === undefined ? { refused: 'This is not an address of http.' } : await this.#enter(place)
    if ('refused' in way) {
      reply
        .writeHead(403, { 'content-type': 'text/plain', connection: 'close', [refusedHeader]: '1' })
        .end(`${way.refused}\n`)
      return
    }
    const { socket } = way
    this.#bound(socket)
    const onward = request({
      createConnection: () => socket,
      method: asked.method ?? 'GET',
      path: rest.startsWith('/') ? rest : `/${rest}`,
      headers: { ...passedOn(asked), host: authority, connection: 'close' },
      setHost: false,
    })
    onward.on('response', (got) => {
      reply.writeHead(got.statusCode ?? 502, { ...passedOn(got), connection: 'close' })
      got.pipe(reply)
    })
    onward.on('error', () => reply.destroy())
    reply.once('close', () => socket.destroy())
    asked.pipe(onward)
  }
}

const passedOn = ({ headers }: IncomingMessage) => {
  const named = new Set(
    String(headers.connection ?? '')
      .toLowerCase()
      .split(/[\s,]+/),
  )
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHop.has(name) && !named.has(name)))
}

const answer = (status: 403, text: string) =>
  `HTTP/1.1 ${status} Forbidden\r\nContent-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`
