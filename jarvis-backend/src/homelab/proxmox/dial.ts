import type { Agent } from 'node:https'
import { ApiError, type Reply } from 'homelab-ports/failure'
import { WebSocket } from 'ws'

/** Largest message; Proxmox sends at most 128 KiB at once. */
const mostBytes = 1024 * 1024
/** Most of a refusal's body that is read. */
const mostWords = 16 * 1024

/**
 * Opens a WebSocket over a connection that the agent trusts. Proxmox takes neither fragments nor compression, and wants the protocol
 * `binary`. @throws ApiError `cluster_unreachable`, or what `failure` makes of a refusal; the signal's reason
 */
export function dial(to: {
  url: URL
  /** With its query, from the root. */
  path: string
  agent: Agent
  authorization: string
  answerMs: number
  signal: AbortSignal
  failure(reply: Reply): ApiError
}): Promise<WebSocket> {
  const { url, path, agent, authorization, signal } = to
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason)
      return
    }
    const socket = new WebSocket(`wss://${url.host}${path}`, ['binary'], {
      agent,
      headers: { authorization },
      handshakeTimeout: to.answerMs,
      perMessageDeflate: false,
      maxPayload: mostBytes,
      followRedirects: false,
    })
    const end = (settle: () => void) => {
      signal.removeEventListener('abort', onAbort)
      settle()
    }
    const fail = (error: unknown) => {
      end(() => reject(error))
      socket.terminate()
    }
    const onAbort = () => fail(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    // Stays: a socket's error without a listener would end the process.
    socket.on('error', (error) =>
      fail(new ApiError('cluster_unreachable', `The console cannot be opened: ${url.host} ${error.message}.`)),
    )
    socket.on('unexpected-response', (_request, response) => {
      let text = ''
      const done = () =>
        fail(to.failure({ status: response.statusCode ?? 0, phrase: response.statusMessage ?? '', text }))
      response.setEncoding('utf8')
      response.on('data', (piece: string) => {
        text = (text + piece).slice(0, mostWords)
      })
      response.on('end', done)
      response.on('error', done)
    })
    socket.once('open', () => end(() => resolve(socket)))
  })
}
