import { type WebSocket, WebSocketServer } from 'ws'
import { startService } from './service.ts'

const dataFields = new Set(['tag', 'url', 'clickAction', 'priority', 'ttl', 'actions', 'group', 'channel'])

/** The REST API and the websocket of Home Assistant with one phone. */
export async function startHomeAssistant(token = 'eyJhbGciOi.planted.token', service = 'mobile_app_pixel') {
  /** Notifications on the phone, by tag. */
  const shown = new Map<string, Record<string, unknown>>()
  const server = await startService(({ method, path, headers, body }) => {
    if (headers.authorization !== `Bearer ${token}`) return { status: 401, text: '401: Unauthorized' }
    if (method === 'GET' && path === '/api/') return { json: { message: 'API running.' } }
    const [, name] = /^\/api\/services\/notify\/(\w+)$/.exec(path) ?? []
    if (method !== 'POST' || name === undefined) return { status: 404, text: '404: Not Found' }
    // An unknown service is a bad request there.
    if (name !== service) return { status: 400, text: '400: Bad Request' }
    const call = JSON.parse(body) as Record<string, unknown>
    const stray = Object.keys(call).filter((field) => !['title', 'message', 'data', 'target'].includes(field))
    const { message, data = {} } = call as { message?: unknown; data?: Record<string, unknown> }
    const strayData = Object.keys(data).filter((field) => !dataFields.has(field))
    if (stray.length > 0 || strayData.length > 0) throw new Error(`it knows no ${[...stray, ...strayData].join(', ')}`)
    if (typeof message !== 'string' || message === '')
      return { status: 400, json: { message: 'required key not provided' } }
    for (const { action, title, authenticationRequired, ...rest } of (data.actions ?? []) as Record<string, unknown>[])
      if (!action || !title || authenticationRequired !== true || Object.keys(rest).length > 0)
        throw new Error('a button names its deed and asks for the lock')
    const tag = String(data.tag ?? `t${shown.size}`)
    if (message === 'clear_notification') shown.delete(tag)
    else shown.set(tag, call)
    return { json: [] }
  })
  const hearing = new Map<WebSocket, number>()
  let isAdministrator = true
  let isDeaf = false
  let connections = 0
  const websocket = new WebSocketServer({ server: server.server, path: '/api/websocket' })
  websocket.on('connection', (socket) => {
    connections += 1
    let isKnown = false
    let last = 0
    const write = (message: object) => {
      if (!isDeaf) socket.send(JSON.stringify(message))
    }
    write({ type: 'auth_required', ha_version: '2026.11.2' })
    socket.on('close', () => hearing.delete(socket))
    socket.on('message', (raw) => {
      const {
        type,
        id = 0,
        access_token,
        event_type,
      } = JSON.parse(String(raw)) as Record<string, string> & { id?: number }
      if (!isKnown) {
        isKnown = type === 'auth' && access_token === token
        write(isKnown ? { type: 'auth_ok' } : { type: 'auth_invalid', message: 'Invalid access token or password' })
        if (!isKnown) socket.close()
        return
      }
      if (id <= last) return write({ id, type: 'result', success: false, error: { code: 'id_reuse' } })
      last = id
      if (type === 'ping') return write({ id, type: 'pong' })
      if (type !== 'subscribe_events' || event_type !== 'mobile_app_notification_action')
        throw new Error(`no ${type} ${event_type} here`)
      if (!isAdministrator) return write({ id, type: 'result', success: false, error: { code: 'unauthorized' } })
      hearing.set(socket, id)
      write({ id, type: 'result', success: true, result: null })
    })
  })
  return {
    ...server,
    token,
    service,
    shown: () => [...shown.values()],
    listeners: () => hearing.size,
    connections: () => connections,
    administrator(is: boolean) {
      isAdministrator = is
    },
    /** Half open: bytes are taken and nothing is answered. */
    deafen(is: boolean) {
      isDeaf = is
    },
    cut: () => [...hearing.keys()].forEach((socket) => void socket.terminate()),
    /** The app tells that a button was pressed, on whichever device has it. */
    press(action: string) {
      for (const [socket, id] of hearing) {
        const event = {
          event_type: 'mobile_app_notification_action',
          data: { action },
          origin: 'REMOTE',
          context: { user_id: 'u' },
        }
        if (!isDeaf) socket.send(JSON.stringify({ id, type: 'event', event }))
      }
    },
  }
}
