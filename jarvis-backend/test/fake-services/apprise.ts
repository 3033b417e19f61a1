import { startService } from './service.ts'

/** An Apprise API server with one configuration. */
export async function startApprise(key = 'jarvis-key') {
  const messages: Record<string, unknown>[] = []
  const service = await startService(({ method, path, body, headers }) => {
    if (method === 'GET' && path === '/status') return { text: 'OK' }
    const [, of] = /^\/notify\/([\w-]{1,128})$/.exec(path) ?? []
    if (method !== 'POST' || of === undefined) return { status: 404 }
    if (of !== key) return { status: 204 }
    if (headers['content-type'] !== 'application/json') return { status: 400, json: { error: 'bad payload' } }
    const message = JSON.parse(body) as Record<string, unknown>
    const stray = Object.keys(message).filter((name) => !['title', 'body', 'type', 'format', 'tag'].includes(name))
    if (stray.length > 0) throw new Error(`Apprise knows no field ${stray.join(', ')}`)
    const isGood =
      typeof message.body === 'string' &&
      message.body !== '' &&
      ['info', 'success', 'warning', 'failure'].includes(String(message.type)) &&
      ['text', 'markdown', 'html'].includes(String(message.format))
    if (!isGood) return { status: 400, json: { error: 'Payload lacks minimum requirements.' } }
    messages.push(message)
    return { json: { error: null, details: [] } }
  })
  return { ...service, key, messages }
}
