import { createECDH } from 'node:crypto'
import { lookup } from 'node:dns/promises'
import { request } from 'node:https'
import { isIP } from 'node:net'
import { isPublicAddress } from '../lib/public-address.ts'
import type { Delivery, PushSender } from './ports.ts'

const patienceMs = 10_000

export type VapidKeys = { publicKey: string; privateKey: string }

/** Makes a P-256 key pair, base64url, by which push services recognise this server. */
export function makeVapidKeys(): VapidKeys {
  const pair = createECDH('prime256v1')
  pair.generateKeys()
  // `getPrivateKey` drops leading zeros, so they are put back.
  const privateKey = Buffer.concat([Buffer.alloc(32), pair.getPrivateKey()]).subarray(-32)
  return { publicKey: pair.getPublicKey('base64url'), privateKey: privateKey.toString('base64url') }
}

/**
 * Sends to the push service that a browser names. The service may be hostile, so requests use https, connect only to public addresses of
 * the name, follow no redirects and ignore the answer's body.
 * @param options.subject a mailto: or https: address for complaints
 */
export function createWebPushSender(options: {
  keys: VapidKeys
  subject: string
  isAllowed?: (address: string) => boolean
  resolve?: (host: string) => Promise<string[]>
  ca?: string
}): PushSender {
  const { keys, subject, isAllowed = isPublicAddress, resolve = addressesOf } = options
  // Loaded on first use, because it is slow to load and often not needed.
  let loaded: Promise<typeof import('web-push')> | undefined

  async function post(endpoint: string, headers: Record<string, string | number>, body: Buffer): Promise<Answer> {
    const url = new URL(endpoint)
    const host = url.hostname.replace(/^\[|\]$/g, '')
    const addresses = isIP(host) === 0 ? await resolve(host) : [host]
    const [address] = addresses
    if (url.protocol !== 'https:' || address === undefined || !addresses.every(isAllowed)) {
      throw new NotPublic(`${host} is not a public address`)
    }
    return new Promise((done, failed) => {
      const asked = request({
        host: address,
        ...(isIP(host) === 0 && { servername: host }),
        ...(options.ca !== undefined && { ca: options.ca }),
        port: url.port === '' ? 443 : Number(url.port),
        path: url.pathname + url.search,
        method: 'POST',
        agent: false,
        headers: { ...headers, host: url.host },
        signal: AbortSignal.timeout(patienceMs),
      })
      asked.on('error', failed)
      asked.on('response', (response) => {
        done({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] })
        response.destroy()
      })
      asked.end(body)
    })
  }

  return {
    publicKey: keys.publicKey,
    async send({ endpoint, p256dh, auth }, { payload, ttlS, topic }): Promise<Delivery> {
      try {
        loaded ??= import('web-push').then((module) => module.default)
        const webPush = await loaded
        const vapidDetails = { subject, ...keys }
        const { headers, body } = webPush.generateRequestDetails({ endpoint, keys: { p256dh, auth } }, payload, {
          vapidDetails,
          TTL: ttlS,
          urgency: 'high',
          topic,
        })
        return outcome(await post(endpoint, headers as Record<string, string | number>, body as Buffer))
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error)
        return { kind: error instanceof NotPublic ? 'failed' : 'busy', why }
      }
    },
  }
}

type Answer = { status: number; retryAfter: string | undefined }

class NotPublic extends Error {}

/** Interprets a push service's status (RFC 8030, section 5). 429 and 5xx may pass. */
function outcome({ status, retryAfter }: Answer): Delivery {
  if (status === 404 || status === 410) return { kind: 'gone' }
  if (status >= 200 && status < 300) return { kind: 'sent' }
  const why = `the push service answered ${status}`
  if (status !== 429 && status < 500) return { kind: 'failed', why }
  // `Retry-After` is seconds or a date (RFC 9110, section 10.2.3).
  const waitMs = Number(retryAfter) * 1_000 || Date.parse(retryAfter ?? '') - Date.now()
  return { kind: 'busy', why, ...(waitMs > 0 && { retryAfterMs: waitMs }) }
}

const addressesOf = async (host: string) => (await lookup(host, { all: true })).map(({ address }) => address)
