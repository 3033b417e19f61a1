import { createHmac, timingSafeEqual } from 'node:crypto'
import { type Reply, startService, type Taken } from './service.ts'

/** A receiver as the specification of Standard Webhooks 1.0 wants it. @param now seconds */
export async function startWebhook(secret: string, now: () => number = () => Date.now() / 1_000) {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const events = new Map<string, { type: string; timestamp: string; data: Record<string, unknown> }>()
  const answer = ({ method, headers, body }: Taken): Reply => {
    const id = String(headers['webhook-id'] ?? '')
    const timestamp = Number(headers['webhook-timestamp'])
    if (method !== 'POST' || id === '' || id.includes(' ')) return { status: 400, text: 'Missing required headers' }
    if (!(Math.abs(now() - timestamp) <= 300)) return { status: 400, text: 'Message timestamp too old' }
    if (Buffer.byteLength(body) > 20_000) return { status: 413, text: 'not thin' }
    const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest()
    const isSigned = String(headers['webhook-signature'])
      .split(' ')
      .some((one) => {
        const [version, given = ''] = one.split(',')
        const bytes = Buffer.from(given, 'base64')
        return version === 'v1' && bytes.length === expected.length && timingSafeEqual(bytes, expected)
      })
    if (!isSigned) return { status: 401, text: 'No matching signature found' }
    const event = JSON.parse(body) as { type: string; timestamp: string; data: Record<string, unknown> }
    if (!/^[a-z]+(\.[a-z]+)+$/.test(event.type) || Number.isNaN(Date.parse(event.timestamp))) return { status: 422 }
    events.set(id, event)
    return { status: 204 }
  }
  const service = await startService((request) => ({
    ...answer(request),
    headers: { date: new Date(now() * 1_000).toUTCString() },
  }))
  return { ...service, events }
}
