import type { ChatRequests } from 'protocol'
import type { ChatSocket, Refusal, Reply } from './sockets.ts'

const ackTimeoutMs = 6_000
const giveUpAfterMs = 60_000

const undelivered: Refusal = {
  ok: false,
  error: { code: 'undelivered', message: 'JARVIS could not be reached. Nothing was changed.' },
}

const unanswered: Refusal = {
  ok: false,
  error: { code: 'undelivered', message: 'JARVIS did not answer. Whether it was done is not known.' },
}

const signedOut: Refusal = {
  ok: false,
  error: { code: 'unauthorized', message: 'You were signed out before JARVIS answered.' },
}

type Asked<Name extends keyof ChatRequests> = { name: Name; payload: ChatRequests[Name] }

/**
 * Sends one request and waits for its acknowledgement. After a lost connection the request is sent again, for at most a minute; `chat:send` and
 * `chat:confirm` carry a `requestId`, so the server executes them once. After `left` is aborted nothing more is sent, so that no request of one
 * person goes out with the next person's token.
 */
export function ask<Name extends keyof ChatRequests>(
  socket: ChatSocket,
  asked: Asked<Name>,
  left: AbortSignal,
): Promise<Reply<Name>> {
  if (left.aborted) return Promise.resolve(signedOut)
  return new Promise((resolve) => {
    const onLeft = () => resolve(signedOut)
    left.addEventListener('abort', onLeft, { once: true })
    void deliver(socket, asked, left).then((reply) => {
      left.removeEventListener('abort', onLeft)
      resolve(reply)
    })
  })
}

async function deliver<Name extends keyof ChatRequests>(
  socket: ChatSocket,
  asked: Asked<Name>,
  left: AbortSignal,
): Promise<Reply<Name>> {
  const deadline = Date.now() + giveUpAfterMs
  let wasSent = false
  while (Date.now() < deadline && !left.aborted) {
    if (!socket.connected && !(await connected(socket, deadline - Date.now()))) break
    if (left.aborted) break
    const reply = await once(socket, asked)
    if (reply !== undefined) return reply
    wasSent = true
  }
  return wasSent ? unanswered : undelivered
}

function once<Name extends keyof ChatRequests>(socket: ChatSocket, { name, payload }: Asked<Name>) {
  return new Promise<Reply<Name> | undefined>((resolve) => {
    const settle = (reply: Reply<Name> | undefined) => {
      clearTimeout(timer)
      socket.off('disconnect', onDisconnect)
      resolve(reply)
    }
    const onDisconnect = () => settle(undefined)
    const timer = setTimeout(() => settle(undefined), ackTimeoutMs)
    socket.on('disconnect', onDisconnect)
    const emit = socket.emit.bind(socket) as (
      name: Name,
      payload: unknown,
      ack: (reply: Reply<Name>) => void,
    ) => unknown
    emit(name, payload, settle)
  })
}

function connected(socket: ChatSocket, withinMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (is: boolean) => {
      clearTimeout(timer)
      socket.off('connect', onConnect)
      resolve(is)
    }
    const onConnect = () => settle(true)
    const timer = setTimeout(() => settle(false), withinMs)
    socket.on('connect', onConnect)
  })
}
