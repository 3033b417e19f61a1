import { Manager, type Socket } from 'socket.io-client'

/** A server that speaks the chat events: JARVIS, or the relay. */
export type Place = { url: string; token: string }

/** JARVIS keeps 30 connections of one network that have not shown a token; the oldest gives way to the next. */
const atOnce = 20

/** @returns the sockets of `count` connections, as `connect` opens them. */
export async function connectMany(place: Place, namespaces: readonly string[], count: number): Promise<Socket[]> {
  const sockets: Socket[] = []
  for (let left = count; left > 0; left -= atOnce) {
    const some = Array.from({ length: Math.min(left, atOnce) }, () => connect(place, namespaces))
    sockets.push(...(await Promise.all(some)).flat())
  }
  return sockets
}

/**
 * One connection with a socket in each namespace, over WebSocket alone. Resolves once all are let in.
 * @throws Error where the connection ends before that.
 */
export async function connect({ url, token }: Place, namespaces: readonly string[]): Promise<Socket[]> {
  const manager = new Manager(url, { transports: ['websocket'], reconnection: false })
  const sockets = namespaces.map((name) => manager.socket(name, { auth: { token } }))
  await Promise.all(
    sockets.map(
      (socket) =>
        new Promise<void>((resolve, reject) => {
          socket.once('connect', resolve)
          socket.once('connect_error', reject)
          manager.once('close', (reason) => reject(new Error(`the connection ended: ${reason}`)))
        }),
    ),
  )
  return sockets
}

export type Run = {
  sessionId: string
  chars: number
  /** Number of calls that were settled with a result. */
  results: number
  /** From each confirmation to its call's result. */
  confirmMs: number[]
}

type Sent = { ok: boolean; sessionId: string; runId: string }
/** Each event has what it needs of these. */
type ChatEvent = { sessionId: string; runId: string; text: string; toolUseId: string; error: string }

/** Sends a message and confirms whatever waits, until the run has ended. @throws Error if it failed. */
export function run(
  socket: Socket,
  message: string,
  { sessionId, onText }: { sessionId?: string; onText?: (text: string) => void } = {},
): Promise<Run> {
  return new Promise((resolve, reject) => {
    const result: Run = { sessionId: '', chars: 0, results: 0, confirmMs: [] }
    let ownRunId: string | undefined
    let confirmedAt = 0
    const fail = (reason: string) => {
      socket.offAny(onEvent)
      reject(new Error(reason))
    }
    const onEvent = (name: string, { runId, sessionId, text, toolUseId, error }: ChatEvent) => {
      // The socket may hear of other runs in its sessions; its own says nothing before the acknowledgement.
      if (runId !== ownRunId) return
      if (name === 'chat:token') {
        result.chars += text.length
        onText?.(text)
      } else if (name === 'chat:confirm_needed') {
        confirmedAt = performance.now()
        socket.emit('chat:confirm', { sessionId, toolUseId, confirmed: true })
      } else if (name === 'chat:tool_result') {
        result.results++
        if (confirmedAt > 0) result.confirmMs.push(performance.now() - confirmedAt)
      } else if (name === 'chat:error') {
        fail(error)
      } else if (name === 'chat:done') {
        socket.offAny(onEvent)
        resolve(result)
      }
    }
    socket.onAny(onEvent)
    socket.emit('chat:send', { message, sessionId }, (reply: Sent) => {
      if (!reply.ok) fail(JSON.stringify(reply))
      result.sessionId = reply.sessionId
      ownRunId = reply.runId
    })
  })
}
