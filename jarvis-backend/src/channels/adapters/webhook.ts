import { createHmac } from 'node:crypto'
import { hostOf } from '../addresses.ts'
import type { Channel, ChannelKind, Outgoing } from '../channel.ts'
import { ask, attempted, outcome } from '../post.ts'

/** Time for which a receiver accepts a signature, ms (Standard Webhooks 1.0). */
const signedForMs = 5 * 60_000
const secretForm = /^whsec_([A-Za-z0-9+/]{32,86}={0,2})$/
const keyOf = (secret: string) => Buffer.from(secretForm.exec(secret)?.[1] ?? '', 'base64')

function urlProblem(value: string): string | undefined {
  if (!URL.canParse(value)) return 'must be an address, for example https://n8n.lan/webhook/jarvis'
  const { protocol, username } = new URL(value)
  if (protocol !== 'https:' && protocol !== 'http:') return 'must begin with https:// or http://'
  return username === '' ? undefined : 'must name no account'
}

/** Standard Webhooks 1.0: signed, short, and with the same id and body in all attempts. */
export const webhook: ChannelKind = {
  id: 'webhook',
  name: 'Webhook',
  readers: 'The server that you name reads these messages.',
  capabilities: {
    decidesAtMost: 'none',
    isIdempotent: true,
    pairs: false,
    hidesNames: false,
  },
  settings: [
    {
      name: 'HOOK_URL',
      label: 'Address',
      isRequired: true,
      example: 'https://n8n.lan/webhook/jarvis',
      problem: urlProblem,
    },
    {
      name: 'SECRET',
      label: 'Signing secret',
      isRequired: true,
      example: 'whsec_…; make one with: echo whsec_$(openssl rand -base64 32)',
      problem(value) {
        const bytes = keyOf(value).length
        return bytes >= 24 && bytes <= 64 ? undefined : 'must be whsec_ and 24 to 64 bytes in base64'
      },
    },
  ],
  open({ HOOK_URL: url = '', SECRET: secret = '' }, { clock }): Channel {
    const key = keyOf(secret)
    const post = (message: Outgoing, { id, type }: { id: string; type: string }, signal: AbortSignal) =>
      attempted(async () => {
        const at = clock.now()
        const { title, lines, level, link } = message
        const data = { id: message.id, level, title, lines, link }
        const body = JSON.stringify({ type, timestamp: new Date(message.at).toISOString(), data })
        const timestamp = String(Math.floor(at / 1_000))
        const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
        const headers = {
          'content-type': 'application/json',
          'webhook-id': id,
          'webhook-timestamp': timestamp,
          'webhook-signature': `v1,${signature}`,
        }
        const answer = await ask(url, { headers, body, signal })
        const apartMs = Math.abs((answer.at ?? at) - at)
        if (answer.status >= 400 && answer.status < 404 && apartMs > signedForMs)
          return {
            kind: 'failed',
            why: `it answered ${answer.status}, and its clock is ${Math.round(apartMs / 60_000)} min away from ours: a signature is good for 5`,
          }
        if (answer.status === 410) return { kind: 'gone', why: 'it answered 410: it wants no more' }
        return outcome(answer) ?? { kind: 'sent' }
      })
    return {
      place: hostOf(url),
      deliver: (message, _to, signal) => post(message, { id: message.id, type: `jarvis.${message.level}` }, signal),
      revise: (message, _sent, signal) => post(message, { id: `${message.id}.over`, type: 'jarvis.over' }, signal),
      // No check is possible: the receiver would refuse a request without a signature, and a signed request would be a message.
      health: async () => ({}),
    }
  },
}
