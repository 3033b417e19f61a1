import { Manager, type Socket } from 'socket.io-client'

/** A server that speaks the chat events: JARVIS, or the relay. */
export type Place = { url: string; token: string }

/** One connection with a socket in each namespace, over WebSocket alone. Resolves once all are let in. */
export async function connect({ url, token }: Place, namespaces: readonly string[]): Promise<Socket[]> {
  const manager = new Manager(url, { transports: ['websocket'], reconnection: false })
  const sockets = namespaces.map((name) => manager.socket(name, { auth: { token } }))
  await Promise.all(
    sockets.map(
      (socket) =>
        new Promise<void>((resolve, reject) => {
          socket.once('connect', resolve)
          socket.once('connect_error', reject)
        }),
    ),
  )
  return sockets
}

export type Run = {
  sessionId: string
  chars: number
  /** From each confirmation to its call's result. */
  confirmMs: number[]
}

/** Sends a message and confirms whatever waits, until the run has ended. @throws Error if it failed. */
export function run(
  socket: Socket,
  message: string,
  { sessionId, onText }: { sessionId?: string; onText?: (text: string) => void } = {},
): Promise<Run> {
  return new Promise((resolve, reject) => {
    const result: Run = { sessionId: sessionId ?? '', chars: 0, confirmMs: [] }
    let confirmedAt = 0
    const handlers = {
      'chat:token'({ text }: { text: string }) {
        result.chars += text.length
        onText?.(text)
      },
      'chat:confirm_needed'({ sessionId, toolUseId }: { sessionId: string; toolUseId: string }) {
        confirmedAt = performance.now()
        socket.emit('chat:confirm', { sessionId, toolUseId, confirmed: true })
      },
      'chat:tool_result'() {
        if (confirmedAt > 0) result.confirmMs.push(performance.now() - confirmedAt)
      },
      'chat:done'() {
        finish()
        resolve(result)
      },
      'chat:error'({ error }: { error: string }) {
        finish()
        reject(new Error(error))
      },
    }
    const finish = () => {
      for (const [event, handler] of Object.entries(handlers)) socket.off(event, handler)
    }
    for (const [event, handler] of Object.entries(handlers)) socket.on(event, handler)
    socket.emit(
      'chat:send',
      { message, ...(sessionId !== undefined && { sessionId }) },
      (reply: { ok: boolean; sessionId: string }) => {
        if (reply.ok) result.sessionId = reply.sessionId
        else handlers['chat:error']({ error: JSON.stringify(reply) })
      },
    )
  })
}
