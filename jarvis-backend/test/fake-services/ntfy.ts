import { type Reply, startService, type Taken } from './service.ts'

const fields = new Set(
  'topic message title tags priority attach markdown icon click actions filename delay email call sequence_id'.split(
    ' ',
  ),
)
const refusal = (status: number, code: number, error: string): Reply => ({
  status,
  json: { code, http: status, error },
})

/** ntfy 2.16 with `auth-default-access: deny-all`, as far as a publisher meets it. */
export async function startNtfy(token = 'tk_secret') {
  /** Notifications on the phone, by sequence. */
  const shown = new Map<string, Record<string, unknown>>()
  let made = 0

  function publish({ body, headers }: Taken): Reply {
    if (headers.authorization !== `Bearer ${token}`) return refusal(403, 40301, 'forbidden')
    if (Buffer.byteLength(body) > 16_384) return refusal(413, 41301, 'attachment too large')
    let message: Record<string, unknown>
    try {
      message = JSON.parse(body) as Record<string, unknown>
    } catch {
      return refusal(400, 40024, 'invalid request: body must be valid JSON')
    }
    const stray = Object.keys(message).filter((name) => !fields.has(name))
    if (stray.length > 0) throw new Error(`ntfy knows no field ${stray.join(', ')}`)
    const { topic, priority = 3, tags = [], actions = [], click, sequence_id: sequence = `m${made}` } = message
    made += 1
    if (typeof topic !== 'string' || !/^[-_A-Za-z0-9]{1,64}$/.test(topic))
      return refusal(400, 40009, 'invalid request: topic invalid')
    if (![1, 2, 3, 4, 5].includes(priority as number))
      return refusal(400, 40007, 'invalid request: priority parameter invalid')
    if (!Array.isArray(tags) || !Array.isArray(actions) || actions.length > 3)
      return refusal(400, 40018, 'invalid request: actions invalid')
    for (const { action, label, url, method, headers, body, clear, ...stray } of actions as Record<string, unknown>[])
      if (
        action !== 'http' ||
        !label ||
        !/^https?:/.test(String(url)) ||
        method !== 'POST' ||
        Object.keys(stray).length > 0
      )
        return refusal(400, 40018, `invalid request: actions invalid ${[headers, body, clear]}`)
    if (Buffer.byteLength(String(message.message ?? '')) > 4_096) throw new Error('it would become an attachment')
    if (click !== undefined && !/^https?:/.test(String(click))) throw new Error('no address to click')
    if (!/^[-_A-Za-z0-9]{1,64}$/.test(String(sequence)))
      return refusal(400, 40049, 'invalid request: sequence ID invalid')
    shown.set(String(sequence), message)
    return { json: { id: `i${shown.size}`, time: 1, event: 'message', topic } }
  }

  const service = await startService((request) => {
    if (request.path === '/v1/health' && request.method === 'GET') return { json: { healthy: true } }
    if (request.path === '/' && request.method === 'POST') return publish(request)
    const [, sequence] = /^\/[-_A-Za-z0-9]{1,64}\/([-_A-Za-z0-9]{1,64})$/.exec(request.path) ?? []
    if (sequence !== undefined && request.method === 'DELETE') {
      if (request.headers.authorization !== `Bearer ${token}`) return refusal(403, 40301, 'forbidden')
      shown.delete(sequence)
      return { json: { event: 'message_delete', sequence_id: sequence } }
    }
    return refusal(404, 40401, 'page not found')
  })
  return {
    ...service,
    token,
    shown: () => [...shown.values()],
    /** A phone presses a button of a message: it asks the address by itself. @param at the port of loopback that the address leads to */
    async press(index: number, at: string) {
      const message = [...shown.values()][index] ?? {}
      const [action] = (message.actions ?? []) as {
        url: string
        method: string
        headers: Record<string, string>
        body: string
      }[]
      if (action === undefined) throw new Error('the message has no button')
      const { url, method, headers, body } = action
      const { pathname } = new URL(url)
      return fetch(`${at}${pathname}`, { method, headers, body })
    },
  }
}
