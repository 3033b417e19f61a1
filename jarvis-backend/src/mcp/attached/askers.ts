import type { ToolContext } from '../../tools/tool.ts'
import { answerOf, type ElicitAnswer, type Elicited, formOf, NotShown } from './elicitation.ts'

type Ask = ToolContext['ask']

/**
 * The calls of one server that are under way, each with its way to ask a person. A server's question names no call, so it is taken for the one
 * that runs; where several do, nobody can tell whose it is.
 */
export function createAskers(server: string, log: (line: string) => void) {
  const calls = new Set<{ ask: Ask; end: AbortSignal }>()

  /** @throws NotShown where nobody can be asked, or what is asked cannot be shown */
  async function elicit(asked: Elicited, signal: AbortSignal): Promise<ElicitAnswer> {
    const form = formOf(server, asked)
    const [call, other] = calls
    if (call === undefined) throw new NotShown('A server can ask while a call to it runs.')
    if (other !== undefined)
      throw new NotShown('Several calls run, and a question names none of them. Ask again later.')
    if (call.ask === undefined) throw new NotShown('Nobody is here to be asked.')
    return answerOf(form, await call.ask(form.asking, AbortSignal.any([signal, call.end])))
  }

  return {
    /** Runs a call during which the server may ask. What it asked ends with the call. */
    async during<T>(ask: Ask, work: () => Promise<T>): Promise<T> {
      const end = new AbortController()
      const call = { ask, end: end.signal }
      calls.add(call)
      try {
        return await work()
      } finally {
        calls.delete(call)
        end.abort(new Error('the call has ended'))
      }
    },
    async elicit(asked: Elicited, signal: AbortSignal): Promise<ElicitAnswer> {
      try {
        return await elicit(asked, signal)
      } catch (error) {
        if (error instanceof NotShown) log(`Its question was not shown: ${error.message}`)
        throw error
      }
    },
  }
}

export type Askers = ReturnType<typeof createAskers>
