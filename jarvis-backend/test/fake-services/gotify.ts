import { startService } from './service.ts'

const refusal = (errorCode: number, error: string, errorDescription: string) => ({
  status: errorCode,
  json: { error, errorCode, errorDescription },
})

/** Gotify 2, as far as an application meets it. */
export async function startGotify(token = 'AGotifyToken123') {
  const messages: Record<string, unknown>[] = []
  const service = await startService(({ method, path, headers, body }) => {
    if (method === 'GET' && path === '/health') return { json: { health: 'green', database: 'green' } }
    if (method !== 'POST' || path !== '/message') return refusal(404, 'Not Found', 'page not found')
    if (headers['x-gotify-key'] !== token)
      return refusal(
        401,
        'Unauthorized',
        'you need to provide a valid access token or user credentials to access this api',
      )
    const message = JSON.parse(body) as Record<string, unknown>
    const stray = Object.keys(message).filter((name) => !['title', 'message', 'priority', 'extras'].includes(name))
    if (stray.length > 0) throw new Error(`Gotify knows no field ${stray.join(', ')}`)
    if (typeof message.message !== 'string' || message.message === '')
      return refusal(400, 'Bad Request', "Field 'message' is required")
    if (!Number.isInteger(message.priority)) return refusal(400, 'Bad Request', 'priority')
    messages.push(message)
    return { json: { id: messages.length, appid: 1, date: '2026-11-24T00:00:00Z', ...message } }
  })
  return { ...service, token, messages }
}
