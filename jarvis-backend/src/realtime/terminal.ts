import {
  type Activity,
  terminalRequests as inputs,
  JarvisError,
  type TerminalReplies,
  type TerminalRequests,
} from 'protocol'
import type { Namespace, Socket } from 'socket.io'
import type { Clock } from '../lib/clock.ts'
import { openTerminal } from './open-terminal.ts'
import { OwnTerminals } from './own-terminals.ts'
import { isFromPerson, type Openable, type Place, placeOf } from './places.ts'
import { requestsOf, type SocketCall, type SocketRequest } from './request.ts'

const maxTerminals = 8

const request = requestsOf<TerminalRequests, TerminalReplies>('/terminal', inputs)

/** The parts that terminals need. */
export type TerminalsNeeds = {
  /** Undefined if terminals are turned off. */
  openable: Openable | undefined
  clock: Clock
  /** Writes to the journal. The entry is on disk when this returns. */
  record(body: Record<string, unknown>): void
  activity(line: Omit<Activity, 'id'>): void
  report(error: unknown, message: string): void
}

/**
 * Shells on nodes and guests' consoles for operators, over `/terminal`. Terminals bypass the gate on purpose: a person's input is not a tool call,
 * and no model, MCP client or REST call can reach a shell. The protection of a node works against those callers and not against the node's operator.
 * Terminals are therefore off by default and for operators only. A terminal ends with its socket, and the socket ends with its token.
 */
export class Terminals {
  readonly #needs: TerminalsNeeds
  readonly #sockets = new WeakMap<Socket, OwnTerminals>()
  /** Terminals that are open or being opened, over all sockets. */
  #count = 0

  constructor(needs: TerminalsNeeds) {
    this.#needs = needs
  }

  /** Accepts the sockets of `/terminal`; if terminals are turned off, refuses all of them. */
  serve(namespace: Namespace): void {
    if (this.#needs.openable === undefined) {
      const { code, message } = isOff()
      namespace.use((_socket, next) => next(Object.assign(new Error(message), { data: { code, message } })))
    }
    namespace.on('connection', (socket) => this.#sockets.set(socket, new OwnTerminals(socket)))
  }

  /** The terminals of a socket. */
  of(socket: Socket): OwnTerminals {
    const own = this.#sockets.get(socket)
    if (own === undefined) throw isOff()
    return own
  }

  /** @throws JarvisError `too_many_requests`, and the errors of the place and of opening */
  async open({
    input,
    by,
    socket,
  }: SocketCall<TerminalRequests['terminal:open']>): Promise<TerminalReplies['terminal:open']> {
    const { openable } = this.#needs
    if (openable === undefined) throw isOff()
    if (this.#count >= maxTerminals)
      throw new JarvisError('too_many_requests', `${maxTerminals} terminals are open. Close one of them first.`)
    this.#count += 1
    try {
      return await this.#openAt(await placeOf(input, openable), by, this.of(socket))
    } catch (error) {
      this.#count -= 1
      throw error
    }
  }

  async #openAt(place: Place, by: string, own: OwnTerminals): Promise<TerminalReplies['terminal:open']> {
    const { name, where, isScreen, open } = place
    const { terminal, session } = await openTerminal(this.#needs, {
      where,
      by,
      open: (on) => open({ signal: own.gone, ...on }),
      ...(isScreen && { isFromPerson }),
      onOutput: own.shows(isScreen),
      onEnd: (terminalId, end) => {
        this.#count -= 1
        own.remove(terminalId, end)
      },
    })
    own.add(terminal, isScreen)
    this.#tell(`${by} opened ${name}.`, where)
    // The acknowledgement must arrive before the first output.
    setImmediate(terminal.resume)
    const password = 'password' in session ? session.password : undefined
    const screen = isScreen && { screen: password === undefined ? {} : { password } }
    return { terminalId: terminal.id, ...screen }
  }

  /** Adds a line to the activity about a node or a guest. */
  #tell(text: string, { node, vmid }: Place['where']): void {
    const about = vmid === undefined ? { kind: 'node' as const } : { kind: 'guest' as const, vmid }
    this.#needs.activity({ at: this.#needs.clock.now(), level: 'info', text, node, ...about })
  }
}

const isOff = () =>
  new JarvisError('forbidden', 'The terminal is off. JARVIS_TERMINAL=1 in .env turns it on at the next start.')

export const terminalRequests = (terminals: Terminals): SocketRequest[] => [
  request(
    'terminal:open',
    {
      role: 'operator',
      // A shell on a node can change JARVIS itself, so it requires the role owner.
      roleFor: (input) => ('node' in input ? 'owner' : 'operator'),
      password: true,
      summary:
        'Opens a node’s shell, which takes an owner, or a guest’s console. Answers `{terminalId, screen?: {password?}}`.',
    },
    (call) => terminals.open(call),
  ),
  request(
    'terminal:input',
    { role: 'operator', summary: 'Types text into a terminal, or sends bytes of the RFB protocol to a screen.' },
    ({ input: { terminalId, data }, socket }) => {
      const terminal = terminals.of(socket).find(terminalId)
      if ((typeof data === 'string') === terminal.isScreen)
        throw new JarvisError('invalid_request', 'A screen takes bytes, and a terminal takes text.')
      terminal.type(data)
      return {}
    },
  ),
  request(
    'terminal:resize',
    { role: 'operator', summary: 'Sets the size of a terminal.' },
    ({ input: { terminalId, ...size }, socket }) => {
      terminals.of(socket).find(terminalId).resize(size)
      return {}
    },
  ),
  request('terminal:close', { role: 'operator', summary: 'Ends a terminal.' }, ({ input: { terminalId }, socket }) => {
    terminals.of(socket).find(terminalId).end('closed')
    return {}
  }),
]
