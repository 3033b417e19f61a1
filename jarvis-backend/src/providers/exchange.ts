import type { IncomingMessage } from 'node:http'
import type { Usage } from 'protocol'
import { ModelError, type Turn } from '../agent/model.ts'
import { broken, type Provider, sendFailure, streamFailure } from './failure.ts'
import { readEvents } from './sse.ts'

/** Reads a provider's events into a turn. */
export interface Reader {
  /**
   * @returns true once the reply is complete. @throws ModelError for an error event; TypeError for an event that violates the protocol,
   * which `exchange` reports as a broken stream
   */
  take(data: string): boolean
  /** @throws ModelError if the stream ended before the reply did. */
  turn(): Turn
  usage(): Usage | undefined
}

type Exchange = {
  /** Sends with a signal of its own, because the SDKs leave listeners on the signal they are given. */
  send(signal: AbortSignal): Promise<Response>
  reader: Reader
  signal: AbortSignal
}

/** Makes one request and reads its streamed reply. */
export async function exchange(provider: Provider, { send, reader, signal }: Exchange): Promise<Turn> {
  signal.throwIfAborted()
  const upstream = new AbortController()
  const abort = () => upstream.abort(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    const response = await send(upstream.signal).catch((error) => {
      throw sendFailure(provider, error)
    })
    const body = response.body as unknown as IncomingMessage
    if (/^text\/html/i.test(response.headers.get('content-type') ?? '')) {
      body.destroy()
      throw new ModelError(
        'model_bad_request',
        `${provider.host} serves web pages here. Check the address (${provider.urlName}).`,
        {
          isRetryable: false,
        },
      )
    }
    await readEvents(body, (data) => reader.take(data)).catch((error) => {
      if (error instanceof TypeError)
        throw broken(provider, 'it sent something unreadable', { usage: reader.usage(), cause: error })
      throw streamFailure(provider, error, reader.usage())
    })
    const turn = reader.turn()
    if (hasNoRoom(turn)) throw noRoom(provider, turn)
    return turn
  } catch (error) {
    throw signal.aborted ? signal.reason : error
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/** True if the answer is empty because the conversation is too long. Some servers send this instead of a refusal. */
const hasNoRoom = ({ content, stopReason, usage }: Turn) =>
  stopReason === 'max_tokens' && content.length === 0 && usage.outputTokens === 0

const noRoom = ({ host }: Provider, { usage }: Turn) =>
  new ModelError('model_bad_request', `${host} had no room left for an answer, so the conversation is too long.`, {
    isRetryable: false,
    isTooLong: true,
    because: 'too_long',
    usage,
  })
