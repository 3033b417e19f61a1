import type { Agent } from 'node:https'
import { ApiError, type Reply } from 'homelab-ports/failure'
import { WebSocket } from 'ws'

/** Largest message that is accepted, bytes. Proxmox sends at most 128 KiB at once. */
const mostBytes = 1024 * 1024
/** Maximum bytes of a refusal's body that are read. */
const mostWords = 16 * 1024

/**
 * Opens a WebSocket to Proxmox. The HTTPS agent `agent` decides which TLS certificate is trusted. Proxmox accepts neither fragmented messages nor
 * compression, and requires the subprotocol `binary`.
 * @throws ApiError `cluster_unreachable`, or the error that `failure` makes from a refusal; the signal's reason
 */
export function dial(to: {
  url: URL
  /** The path from the root, with its query. */
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
    // This listener is never removed: an error of the socket without a listener would end the process.
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
