import { JarvisError, type TerminalEvents } from 'protocol'
import type { Socket } from 'socket.io'
import type { Terminal, TerminalEnd, Typed } from './open-terminal.ts'
import { type Outflow, watchOutflow } from './outflow.ts'

/** Maximum number of bytes of a screen that its client has not drawn yet; above it, reading from the cluster pauses. */
const mostUndrawn = 1024 * 1024

/** An open terminal. `isScreen`: it shows bytes of a screen, not text. */
type OwnTerminal = Terminal & { isScreen: boolean }

/** The terminals that one socket has opened; sends their output to the socket. They end with the socket. */
export class OwnTerminals {
  readonly #socket: Socket
  readonly #open = new Map<string, OwnTerminal>()
  readonly #gone = new AbortController()
  readonly #outflow: Outflow

  constructor(socket: Socket) {
    this.#socket = socket
    this.#outflow = watchOutflow(socket, () => {
      for (const terminal of this.#open.values()) if (!terminal.isScreen) terminal.resume()
    })
    socket.on('disconnect', () => {
      this.#outflow.stop()
      this.#gone.abort(new JarvisError('cluster_unreachable', 'The client went away.'))
      for (const terminal of this.#open.values()) terminal.end('the client went away')
    })
  }

  /** Aborts when the socket disconnects. */
  get gone(): AbortSignal {
    return this.#gone.signal
  }

  /** Returns an open terminal of this socket. @throws JarvisError `not_found` */
  find(terminalId: string): OwnTerminal {
    const terminal = this.#open.get(terminalId)
    if (terminal !== undefined) return terminal
    throw new JarvisError('not_found', 'This terminal is not open, or another connection opened it.')
  }

  add(terminal: Terminal, isScreen: boolean): void {
    this.#open.set(terminal.id, { ...terminal, isScreen })
    if (this.gone.aborted) terminal.end('the client went away')
  }

  /** Removes a terminal that has ended, and informs the client. */
  remove(terminalId: string, end: TerminalEnd): void {
    this.#open.delete(terminalId)
    this.#emit('terminal:exit', { terminalId, ...end })
  }

  /** Returns the function that sends the output of one terminal to the client. */
  shows(isScreen: boolean): (terminalId: string, data: Typed) => void {
    const show = isScreen ? this.#screen() : (id: string, data: string) => this.#showText(id, data)
    return show as (terminalId: string, data: Typed) => void
  }

  /** Counts a screen's bytes until the client acknowledges them. Bytes that the transport has sent may still wait in the browser. */
  #screen() {
    let undrawn = 0
    return (terminalId: string, data: Uint8Array) => {
      undrawn += data.length
      if (undrawn > mostUndrawn) this.#open.get(terminalId)?.pause()
      this.#socket.emit('terminal:screen', { terminalId, data } satisfies TerminalEvents['terminal:screen'], () => {
        undrawn -= data.length
        if (undrawn <= mostUndrawn / 2) this.#open.get(terminalId)?.resume()
      })
    }
  }

  #showText(terminalId: string, data: string): void {
    this.#emit('terminal:output', { terminalId, data })
    if (this.#outflow.isFull()) this.#open.get(terminalId)?.pause()
  }

  #emit<E extends keyof TerminalEvents>(event: E, payload: TerminalEvents[E]): void {
    this.#socket.emit(event, payload)
  }
}
