import type { Namespace } from 'socket.io'
import type { z } from 'zod'
import type { StepUp } from '../auth/step-up.ts'
import type { Identity } from '../auth/tokens.ts'
import type { Terminals } from '../homelab/ports.ts'
import type { Clock } from '../lib/clock.ts'
import {
  type Activity,
  JarvisError,
  type TerminalEvents,
  type TerminalReplies,
  type TerminalRequests,
  terminalRequests,
} from '../protocol/index.ts'
import { answer } from './answer.ts'
import { openTerminal, type Terminal } from './open-terminal.ts'
import { watchOutflow } from './outflow.ts'

const maxTerminals = 8

const schemas: { [E in keyof TerminalRequests]: z.ZodType<TerminalRequests[E]> } = terminalRequests

/**
 * Serves `/terminal`: an operator's own shell on a node. It stands outside the gate on purpose: a person's input is no tool call, and no model, MCP
 * client or REST call can reach this shell. Protection of a node holds against those, not against its operator. So the terminal is off by default,
 * for operators only, and ends with its socket, which ends with its token.
 * @param parts.terminals undefined: off
 */
export function serveTerminal(
  namespace: Namespace,
  parts: {
    terminals: Terminals | undefined
    clock: Clock
    /** Writes to the journal, on disk before it returns. */
    record(body: Record<string, unknown>): void
    activity(line: Omit<Activity, 'id'>): void
    stepUp: Pick<StepUp, 'require'>
    report(error: unknown, message: string): void
  },
) {
  const { terminals, report } = parts
  if (terminals === undefined) {
    const message = 'The terminal is off. JARVIS_TERMINAL=1 in .env turns it on at the next start.'
    namespace.use((_socket, next) => next(Object.assign(new Error(message), { data: { code: 'forbidden', message } })))
    return
  }
  let count = 0

  namespace.on('connection', (socket) => {
    const mine = new Map<string, Terminal>()
    const gone = new AbortController()
    const outflow = watchOutflow(socket, () => {
      for (const terminal of mine.values()) terminal.resume()
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
    ) => socket.on(event as string, answer(socket, { schema: schemas[event], needs: 'operator', report }, handle))
    const find = (terminalId: string): Terminal => {
      const terminal = mine.get(terminalId)
      if (terminal !== undefined) return terminal
      throw new JarvisError('not_found', 'This terminal is not open, or another connection opened it.')
    }

    on('terminal:open', async ({ node, ...size }, identity) => {
      parts.stepUp.require(identity)
      const { sub: by } = identity
      if (count >= maxTerminals) {
        throw new JarvisError('too_many_requests', `${maxTerminals} terminals are open. Close one of them first.`)
      }
      count += 1
      try {
        const asked = {
          node,
          size,
          by,
          signal: gone.signal,
          onOutput(terminalId: string, data: string) {
            emit('terminal:output', { terminalId, data })
            if (outflow.isFull()) mine.get(terminalId)?.pause()
          },
          onEnd(terminalId: string, end: { code?: number; reason?: string }) {
            count -= 1
            mine.delete(terminalId)
            emit('terminal:exit', { terminalId, ...end })
          },
        }
        const terminal = await openTerminal({ ...parts, terminals }, asked)
        mine.set(terminal.id, terminal)
        if (gone.signal.aborted) terminal.end('the client went away')
        const text = `${by} opened a shell on ${node}.`
        parts.activity({ at: parts.clock.now(), kind: 'node', level: 'info', text, node })
        // The acknowledgement must arrive before the first output.
        setImmediate(terminal.resume)
        return { terminalId: terminal.id }
      } catch (error) {
        count -= 1
        throw error
      }
    })
    on('terminal:input', ({ terminalId, data }) => {
      find(terminalId).type(data)
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
