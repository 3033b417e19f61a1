import { sleep } from 'node-kit/clock'
import { WebSocket } from 'ws'
import type { Clock } from '../../lib/clock.ts'
import { faultAtProxy } from '../../lib/unreachable.ts'
import { agentTo } from '../../lib/way-out.ts'
import type { Heard } from '../channel.ts'

const patienceMs = 15_000
const pingEveryMs = 30_000
const firstPauseMs = 1_000
const longestPauseMs = 60_000
/** The actions that belong to JARVIS: denials only, because none of its actions approves. Actions of other notifications are ignored. */
const ours = /^j1\.[\w-]{22}\.d$/

/** The event of a button that was pressed on a phone. */
type Event = { event_type?: string; data?: { action?: unknown } }
type Message = { type?: string; id?: number; success?: boolean; error?: { code?: string }; event?: Event }
/** The end of a connection. `isFinal`: another attempt would count as a failed sign-in at Home Assistant. */
type End = { why: string; isFinal?: true }

/** Receives the button presses of Home Assistant's app over its websocket, until the signal aborts or the token is refused. */
export async function hearTaps(parts: {
  /** The address in the settings: `http://homeassistant.lan:8123`. */
  base: string
  token: string
  clock: Clock
  heard: Heard
  problem(why: string | undefined): void
  signal: AbortSignal
}): Promise<void> {
  const { clock, signal, problem } = parts
  let pauseMs = firstPauseMs
  while (!signal.aborted) {
    const { why, isFinal } = await connect(parts, () => {
      pauseMs = firstPauseMs
      problem(undefined)
    }).catch((error: Error): End => ({ why: error.message }))
    if (signal.aborted) return
    problem(why)
    if (isFinal === true) return
    await sleep(clock, pauseMs, signal).catch(() => {})
    pauseMs = Math.min(2 * pauseMs, longestPauseMs)
  }
}

/** Keeps one connection open. @returns how the connection ended. Rejects only if a proxy variable cannot be used */
async function connect(
  { base, token, clock, heard, signal }: Parameters<typeof hearTaps>[0],
  subscribed: () => void,
): Promise<End> {
  const address = `${base.replace(/^http/, 'ws')}/api/websocket`
  const socket = new WebSocket(address, {
    handshakeTimeout: patienceMs,
    maxPayload: 1024 ** 2,
    perMessageDeflate: false,
    agent: agentTo(new URL(address)),
  })
  let end: End = { why: 'it closed the connection' }
  let sent = 1
  let disarm = () => {}
  const ask = (type: string, more: object = {}) => {
    sent += 1
    socket.send(JSON.stringify({ id: sent, type, ...more }))
  }
  const leave = (why: End) => {
    end = why
    socket.terminate()
  }
  /** Every message shows that the connection is alive. A silent connection gets a ping, and is closed if no answer comes. */
  function heardFrom() {
    disarm()
    disarm = clock.after(pingEveryMs, () => {
      if (socket.readyState !== WebSocket.OPEN) return
      ask('ping')
      disarm = clock.after(patienceMs, () => leave({ why: 'it answers nothing any more' }))
    })
  }
  socket.on('message', (raw) => {
    heardFrom()
    const message = read(String(raw))
    if (message.type === 'auth_required') socket.send(JSON.stringify({ type: 'auth', access_token: token }))
    else if (message.type === 'auth_invalid') leave({ why: 'it does not know the token', isFinal: true })
    else if (message.type === 'auth_ok') ask('subscribe_events', { event_type: 'mobile_app_notification_action' })
    else if (message.type === 'result' && message.success === true) subscribed()
    else if (message.type === 'result')
      leave({
        why: `it tells nothing of pressed buttons (${message.error?.code ?? 'refused'}): the token must be an administrator’s`,
        isFinal: true,
      })
    else if (message.type === 'event') {
      const action = message.event?.data?.action
      // Home Assistant sends an event only once. If the press could not be stored, the person presses again or decides elsewhere.
      if (typeof action === 'string' && ours.test(action)) void heard({ kind: 'tap', token: action }).catch(() => {})
    }
  })
  const close = () => socket.terminate()
  signal.addEventListener('abort', close, { once: true })
  disarm = clock.after(patienceMs, () => leave({ why: 'it did not answer in time' }))
  return new Promise((done) => {
    socket.on('error', (error: NodeJS.ErrnoException) => {
      end = { why: `it could not be reached (${faultAtProxy(error)?.message ?? error.code ?? 'unknown'})` }
    })
    socket.on('close', () => {
      disarm()
      signal.removeEventListener('abort', close)
      done(end)
    })
    if (signal.aborted) close()
  })
}

function read(text: string): Message {
  try {
    return JSON.parse(text) as Message
  } catch {
    return {}
  }
}
