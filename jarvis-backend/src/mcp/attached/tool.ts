import type { AttachedTier } from 'protocol'
import { JarvisError } from 'protocol'
import { remoteEffects, remoteTouches } from '../../gate/effects-of.ts'
import { whyUnreachable } from '../../lib/unreachable.ts'
import type { Tool, ToolOutput } from '../../tools/tool.ts'
import type { Askers } from './askers.ts'
import { type Connection, NotRun } from './connection.ts'
import type { Definition } from './definition.ts'
import { outputOf } from './output.ts'
import { visible } from './text.ts'

const timeoutMs = 120_000

/** Creates the catalog's tool for a tool of an attached server. It passes the same gate as all other tools. */
export function attachedTool(
  definition: Definition,
  tier: AttachedTier,
  parts: {
    /** The server's name. */
    server: string
    connection: Pick<Connection, 'ready' | 'call'>
    askers: Pick<Askers, 'during'>
    /** Returns the present hash of the definition; undefined if the server no longer offers the tool. */
    hashNow(): string | undefined
    redact(text: string): string
  },
): Tool {
  const { name, toolName, title, description, hash, schema } = definition
  const { server, connection, askers, redact } = parts
  return {
    name,
    title: redact(title),
    description: redact(`A tool of the attached server ${server}, described in that server's words: ${description}`),
    tier,
    timeoutMs,
    input: schema.input,
    touches: remoteTouches,
    effects: (given, world) => remoteEffects({ toolName: name, server, hash, tier }, given, world),
    attached: { server, hash, inputSchema: schema.forModel, listed: schema.listed },
    async run(input, { signal, onProgress, ask }) {
      try {
        await untilAborted(connection.ready(), signal)
      } catch (error) {
        if (signal.aborted) throw error
        return failed(`The attached server ${server} is not there: ${wordsOf(error)}. Nothing was run.`)
      }
      // The definition must still be the one that the gate judged and that was shown.
      if (parts.hashNow() !== hash) {
        return failed(`The server ${server} has changed ${name} since this was judged. Nothing was run; call it again.`)
      }
      try {
        const mayRepeat = () => parts.hashNow() === hash
        const options = { signal, onProgress, mayRepeat }
        return outputOf(await askers.during(ask, () => connection.call(toolName, input, options)))
      } catch (error) {
        if (signal.aborted) throw error
        if (error instanceof NotRun)
          return failed(`The attached server ${server} is not there: ${wordsOf(error)}. Nothing was run.`)
        if (isAnswer(error)) return failed(`The server ${server} does not do it: ${wordsOf(error)}`)
        if (isUnreadable(error))
          return failed(
            `The server ${server} ran it and answered in a form that cannot be read: ${wordsOf(error)}. Look at what it did before you call it again.`,
          )
        throw new JarvisError(
          'outcome_unknown',
          `The server ${server} was lost before it answered: ${wordsOf(error)}. It may have run.`,
        )
      }
    },
  }
}

const failed = (text: string): ToolOutput => ({ text, summary: text, isError: true })
const wordsOf = (error: unknown) => {
  const said = error instanceof Error ? error.message : String(error)
  return visible(said === 'fetch failed' ? whyUnreachable(error) : said, 500).replace(/\.$/, '')
}
/** Matches errors of an intermediary that stopped waiting for the server; the server may still run the call. */
const gaveUp = /\btimed? ?-?out\b|\bconnection (?:was )?(?:closed|reset|lost)\b/i
/** True if the server sent the error by JSON-RPC, which is shown by a numeric code. */
const isAnswer = (error: unknown) =>
  error instanceof Error && 'code' in error && typeof error.code === 'number' && !gaveUp.test(error.message)
/** True if an answer was received but cannot be read. */
const isUnreadable = (error: unknown) =>
  error instanceof Error &&
  'code' in error &&
  ['INVALID_RESULT', 'UNSUPPORTED_RESULT_TYPE'].includes(String(error.code))

/** Settles like `work`, and rejects if the signal aborts. The work continues, because other callers share it. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason)
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
