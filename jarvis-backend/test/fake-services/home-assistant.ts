import { startService } from './service.ts'

const dataFields = new Set(['tag', 'url', 'clickAction', 'priority', 'ttl', 'actions', 'group', 'channel'])

/** The REST API of Home Assistant with one phone. */
export async function startHomeAssistant(token = 'eyJhbGciOi.planted.token', service = 'mobile_app_pixel') {
  /** What the phone shows, by tag. */
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
    const tag = String(data.tag ?? `t${shown.size}`)
    if (message === 'clear_notification') shown.delete(tag)
    else shown.set(tag, call)
    return { json: [] }
  })
  return { ...server, token, service, shown: () => [...shown.values()] }
}
