import {
  type Activity,
  JarvisError,
  type TerminalEvents,
  type TerminalReplies,
  type TerminalRequests,
  terminalRequests,
} from 'protocol'
import type { Namespace } from 'socket.io'
import type { z } from 'zod'
import { requireStanding } from '../auth/roles.ts'
import type { StepUp } from '../auth/step-up.ts'
import type { Identity } from '../auth/tokens.ts'
import type { Clock } from '../lib/clock.ts'
import { answer } from './answer.ts'
import { openTerminal, type Terminal, type TerminalEnd, type Typed } from './open-terminal.ts'
import { watchOutflow } from './outflow.ts'
import { isFromPerson, type Openable, placeOf } from './places.ts'

const maxTerminals = 8
/** Bytes of a screen that its client has not drawn yet; more are not read from the cluster. */
const mostUndrawn = 1024 * 1024

const schemas: { [E in keyof TerminalRequests]: z.ZodType<TerminalRequests[E]> } = terminalRequests

/**
 * Serves `/terminal`: an operator's own shell on a node, and guests' consoles. It stands outside the gate on purpose: a person's input is no tool call, and no model, MCP
 * client or REST call can reach this shell. Protection of a node holds against those, not against its operator. So the terminal is off by default,
 * for operators only, and ends with its socket, which ends with its token.
 * @param parts.openable undefined: off
 */
export function serveTerminal(
  namespace: Namespace,
  parts: {
    openable: Openable | undefined
    clock: Clock
    /** Writes to the journal, on disk before it returns. */
    record(body: Record<string, unknown>): void
    activity(line: Omit<Activity, 'id'>): void
    stepUp: Pick<StepUp, 'require'>
    report(error: unknown, message: string): void
    redact(text: string): string
  },
) {
  const { openable, report, redact } = parts
  if (openable === undefined) {
    const message = 'The terminal is off. JARVIS_TERMINAL=1 in .env turns it on at the next start.'
    namespace.use((_socket, next) => next(Object.assign(new Error(message), { data: { code: 'forbidden', message } })))
    return
  }
  let count = 0

  namespace.on('connection', (socket) => {
    const mine = new Map<string, Terminal & { isScreen: boolean }>()
    const gone = new AbortController()
    const outflow = watchOutflow(socket, () => {
      for (const terminal of mine.values()) if (!terminal.isScreen) terminal.resume()
    })
    socket.on('disconnect', () => {
      outflow.stop()
      gone.abort(new JarvisError('cluster_unreachable', 'The client went away.'))
      for (const terminal of mine.values()) terminal.end('the client went away')
    })

    const emit = <E extends keyof TerminalEvents>(event: E, payload: TerminalEvents[E]) => socket.emit(event, payload)
    const on = <E extends keyof TerminalRequests>(
      event: E,
      handle: (input: TerminalRequests[E], identity: Identity) => TerminalReplies[E] | Promise<TerminalReplies[E]>,
    ) =>
      socket.on(event as string, answer(socket, { schema: schemas[event], needs: 'operator', report, redact }, handle))
    const find = (terminalId: string) => {
      const terminal = mine.get(terminalId)
      if (terminal !== undefined) return terminal
      throw new JarvisError('not_found', 'This terminal is not open, or another connection opened it.')
    }

    /** A screen's bytes count until its client acknowledges them, for what a transport has taken may still wait in the browser. */
    function showScreen() {
      let undrawn = 0
      return (terminalId: string, data: Uint8Array) => {
        undrawn += data.length
        if (undrawn > mostUndrawn) mine.get(terminalId)?.pause()
        socket.emit('terminal:screen', { terminalId, data } satisfies TerminalEvents['terminal:screen'], () => {
          undrawn -= data.length
          if (undrawn <= mostUndrawn / 2) mine.get(terminalId)?.resume()
        })
      }
    }
    function showText(terminalId: string, data: string) {
      emit('terminal:output', { terminalId, data })
      if (outflow.isFull()) mine.get(terminalId)?.pause()
    }

    on('terminal:open', async (request, identity) => {
      // A shell on a node can change JARVIS itself, so it is as much as an owner may.
      if ('node' in request) requireStanding(identity.person.role, 'owner')
      parts.stepUp.require(identity)
      const { sub: by } = identity
      if (count >= maxTerminals) {
        throw new JarvisError('too_many_requests', `${maxTerminals} terminals are open. Close one of them first.`)
      }
      count += 1
      try {
        const { name, where, isScreen, open } = await placeOf(request, openable)
        const show = isScreen ? showScreen() : showText
        const { terminal, session } = await openTerminal(parts, {
          where,
          by,
          open: (on) => open({ signal: gone.signal, ...on }),
          ...(isScreen && { isFromPerson }),
          onOutput: show as (id: string, data: Typed) => void,
          onEnd(terminalId: string, end: TerminalEnd) {
            count -= 1
            mine.delete(terminalId)
            emit('terminal:exit', { terminalId, ...end })
          },
        })
        mine.set(terminal.id, { ...terminal, isScreen })
        if (gone.signal.aborted) terminal.end('the client went away')
        const text = `${by} opened ${name}.`
        const { node, vmid } = where
        const about = vmid === undefined ? { kind: 'node' as const } : { kind: 'guest' as const, vmid }
        parts.activity({ at: parts.clock.now(), level: 'info', text, node, ...about })
        // The acknowledgement must arrive before the first output.
        setImmediate(terminal.resume)
        const password = 'password' in session ? session.password : undefined
        const screen = isScreen && { screen: password === undefined ? {} : { password } }
        return { terminalId: terminal.id, ...screen }
      } catch (error) {
        count -= 1
        throw error
      }
    })
    on('terminal:input', ({ terminalId, data }) => {
      const terminal = find(terminalId)
      if ((typeof data === 'string') === terminal.isScreen) {
        throw new JarvisError('invalid_request', 'A screen takes bytes, and a terminal takes text.')
      }
      terminal.type(data)
      return {}
    })
    on('terminal:resize', ({ terminalId, ...size }) => {
      find(terminalId).resize(size)
      return {}
    })
    on('terminal:close', ({ terminalId }) => {
      find(terminalId).end('closed')
      return {}
    })
  })
}
