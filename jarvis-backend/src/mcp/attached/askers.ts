import type { QuestionResolution } from 'protocol'
import type { ToolContext } from '../../tools/tool.ts'
import { answerOf, type ElicitAnswer, type Elicited, formOf, NotShown } from './elicitation.ts'

type Ask = ToolContext['ask']
/** A running call. `ask`: asks the person of the call; undefined if nobody can be asked. `end`: aborts when the call has ended. */
type Asker = { ask: Ask; end: AbortSignal }

const severalRun = '[JARVIS: several calls to this server run. It does not say for which of them it asks.]'

/**
 * The running calls of one server, each with a way to ask a person. A server's question does not name its call. If several calls run, the newest
 * call's person is asked. If that call ends before the answer, the person of the next call is asked.
 */
export class Askers {
  readonly #server: string
  readonly #log: (line: string) => void
  readonly #calls = new Set<Asker>()

  constructor(server: string, log: (line: string) => void) {
    this.#server = server
    this.#log = log
  }

  /** Runs a call during which the server may ask. Its open questions end with the call. */
  async during<T>(ask: Ask, work: () => Promise<T>): Promise<T> {
    const end = new AbortController()
    const call = { ask, end: end.signal }
    this.#calls.add(call)
    try {
      return await work()
    } finally {
      this.#calls.delete(call)
      end.abort(new Error('the call has ended'))
    }
  }

  /** @throws NotShown if nobody can be asked, or the question cannot be shown */
  async elicit(asked: Elicited, signal: AbortSignal): Promise<ElicitAnswer> {
    try {
      return await this.#elicit(asked, signal)
    } catch (error) {
      if (error instanceof NotShown) this.#log(`Its question was not shown: ${error.message}`)
      throw error
    }
  }

  async #elicit(asked: Elicited, signal: AbortSignal): Promise<ElicitAnswer> {
    const form = formOf(this.#server, asked)
    const running = [...this.#calls].reverse()
    if (running.length === 0) throw new NotShown('A server can ask while a call to it runs.')
    // An answer that a person gives in one conversation must not reach the client of another call.
    if (running.some(({ ask }) => ask === undefined))
      throw new NotShown(
        running.length === 1
          ? 'Nobody is here to be asked.'
          : 'Several calls run, one of them for a client, and a question names none of them. Ask again later.',
      )
    const { message } = form.asking
    const asking =
      running.length === 1
        ? form.asking
        : { ...form.asking, message: message === undefined ? severalRun : `${message}\n${severalRun}` }
    for (const call of running) {
      const resolution = await askFor(call, asking, signal)
      if (resolution !== undefined) return answerOf(form, resolution)
    }
    return { action: 'cancel' }
  }
}

/** @returns undefined if the call ended before the question was answered */
async function askFor({ ask, end }: Asker, asking: Parameters<NonNullable<Ask>>[0], signal: AbortSignal) {
  if (end.aborted) return undefined
  let resolution: QuestionResolution | undefined
  try {
    resolution = await ask?.(asking, AbortSignal.any([signal, end]))
  } catch (error) {
    if (signal.aborted || !end.aborted) throw error
    return undefined
  }
  return resolution?.end === 'withdrawn' && end.aborted && !signal.aborted ? undefined : resolution
}
