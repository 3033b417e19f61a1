import type { IncomingMessage } from 'node:http'
import { ModelError, type Turn } from '../agent/model.ts'
import type { Usage } from '../protocol/index.ts'
import { broken, ConnectionError, complaintOf, type Provider, refusal, sendFailure, streamFailure } from './failure.ts'
import type { Sent } from './post.ts'
import { readEvents } from './sse.ts'

/** Folds a provider's events into a turn. */
export type Reader = {
  /**
   * @returns true once the reply is complete. @throws ModelError for an error among the events; TypeError for an event
   * that cannot be read as the protocol has it, which `exchange` tells as a broken stream.
   */
  take(data: string): boolean
  /** @throws ModelError if the stream ended before the reply did. */
  turn(): Turn
  usage(): Usage | undefined
}

/** An error's body beyond this is not read. */
const maxErrorChars = 64_000

/** One request and its streamed reply. */
export async function exchange(
  provider: Provider,
  send: () => Sent,
  reader: Reader,
  signal: AbortSignal,
): Promise<Turn> {
  signal.throwIfAborted()
  let sent: Sent | undefined
  const abort = () => sent?.close()
  signal.addEventListener('abort', abort, { once: true })
  try {
    sent = send()
    const response = await sent.response.catch((error) => {
      throw sendFailure(provider, error)
    })
    const { statusCode: status = 0, headers } = response
    if (status < 200 || status > 299) {
      const body = await beginningOf(response).catch((error) => {
        throw sendFailure(provider, new ConnectionError(error))
      })
      throw refusal(provider, { ...complaintOf(body), status, headers })
    }
    if (/^text\/html/i.test(headers['content-type'] ?? '')) {
      response.destroy()
      throw new ModelError('model_bad_request', `${provider.host} serves web pages here. Check ${provider.urlName}.`, {
        isRetryable: false,
      })
    }
    await readEvents(response, reader.take).catch((error) => {
      if (error instanceof TypeError) throw broken(provider, 'it sent something unreadable', reader.usage(), error)
      throw streamFailure(provider, error, reader.usage())
    })
    return reader.turn()
  } catch (error) {
    throw signal.aborted ? signal.reason : error
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

function beginningOf(response: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    let read = ''
    response.setEncoding('utf8')
    response.on('data', (chunk: string) => {
      if (read.length < maxErrorChars) read += chunk
    })
    response.on('end', () => resolve(read))
    response.on('error', reject)
  })
}
