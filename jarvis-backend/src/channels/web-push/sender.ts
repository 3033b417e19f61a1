import { createECDH } from 'node:crypto'
import { lookup } from 'node:dns/promises'
import { request } from 'node:https'
import { isIP } from 'node:net'
import { isPublicAddress } from '../../lib/public-address.ts'
import { faultAtProxy } from '../../lib/unreachable.ts'
import { agentTo } from '../../lib/way-out.ts'
import type { Delivery } from '../channel.ts'
import { outcome as interpreted, retryAfterMs } from '../post.ts'
import type { PushSender, Subscription } from './ports.ts'

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

export type WebPushSenderOptions = {
  keys: VapidKeys
  /** A mailto: or https: address to which a push service can send complaints. */
  subject: string
  /** Returns true if requests may go to an IP address. Default: true for public addresses. */
  isAllowed?: (address: string) => boolean
  /** Resolves a host name. Default: the system's resolver. */
  resolve?: (host: string) => Promise<string[]>
  ca?: string
}

/** A request to a push service. */
type PushRequest = { endpoint: string; headers: Record<string, string | number>; body: Buffer }

/**
 * Sends to the push service that a browser's subscription names. The service may be hostile, so requests use https, connect only to public addresses
 * of the host, follow no redirects and ignore the answer's body.
 */
export class WebPushSender implements PushSender {
  readonly publicKey: string
  readonly #options: WebPushSenderOptions
  /** Loaded on first use, because it is slow to load and often not needed. */
  #loaded: Promise<typeof import('web-push')> | undefined

  constructor(options: WebPushSenderOptions) {
    this.publicKey = options.keys.publicKey
    this.#options = options
  }

  async send(
    { endpoint, p256dh, auth }: Subscription,
    { payload, ttlS, topic, urgency }: Parameters<PushSender['send']>[1],
    signal?: AbortSignal,
  ): Promise<Delivery> {
    try {
      this.#loaded ??= import('web-push').then((module) => module.default)
      const webPush = await this.#loaded
      const { keys, subject } = this.#options
      const { headers, body } = webPush.generateRequestDetails({ endpoint, keys: { p256dh, auth } }, payload, {
        vapidDetails: { subject, ...keys },
        TTL: ttlS,
        urgency,
        topic,
      })
      const request = { endpoint, headers: headers as PushRequest['headers'], body: body as Buffer }
      return outcome(await this.#post(request, signal))
    } catch (error) {
      if (error instanceof NotPublic) return { kind: 'failed', why: error.message }
      return { kind: 'again', why: unreached(error) }
    }
  }

  async #post({ endpoint, headers, body }: PushRequest, ending: AbortSignal | undefined): Promise<Answer> {
    const { ca } = this.#options
    const url = new URL(endpoint)
    const host = url.hostname.replace(/^\[|\]$/g, '')
    const address = await this.#addressOf(url, host)
    return new Promise((done, failed) => {
      const asked = request({
        host: address,
        ...(isIP(host) === 0 && { servername: host }),
        ...(ca !== undefined && { ca }),
        port: url.port === '' ? 443 : Number(url.port),
        path: url.pathname + url.search,
        method: 'POST',
        agent: agentTo(url, { keepsAlive: false }) ?? false,
        headers: { ...headers, host: url.host },
        signal: AbortSignal.any([AbortSignal.timeout(patienceMs), ...(ending === undefined ? [] : [ending])]),
      })
      asked.on('error', failed)
      asked.on('response', (response) => {
        done({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] })
        response.destroy()
      })
      asked.end(body)
    })
  }

  /** The IP address to connect to. @throws NotPublic if any address of the host is not allowed */
  async #addressOf({ protocol }: URL, host: string): Promise<string> {
    const { isAllowed = isPublicAddress, resolve = addressesOf } = this.#options
    const addresses = isIP(host) === 0 ? await resolve(host) : [host]
    const [address] = addresses
    if (protocol !== 'https:' || address === undefined || !addresses.every((one) => isAllowed(one)))
      throw new NotPublic(`${host} is not a public address`)
    return address
  }
}

type Answer = { status: number; retryAfter: string | undefined }

class NotPublic extends Error {}

/** Interprets a push service's status (RFC 8030, section 5). */
function outcome({ status, retryAfter }: Answer): Delivery {
  if (status === 404 || status === 410) return { kind: 'gone', why: 'the browser ended its subscription' }
  const wait = retryAfterMs(retryAfter ?? null)
  return interpreted({ status, text: '', retryAfterMs: wait }, words[status]) ?? { kind: 'sent' }
}
const words: Record<number, string> = { 413: 'the message is too long for it' }

/**
 * Returns the reason why a push service was not reached. It is derived from the system's error code alone, because the service's address is a secret
 * of the browser.
 */
function unreached(error: unknown): string {
  const { name, code } = error as { name?: string; code?: string }
  if (name === 'TimeoutError') return 'the push service did not answer in time'
  if (name === 'AbortError') return 'JARVIS stopped'
  const atProxy = faultAtProxy(error)
  if (atProxy !== undefined) return `the push service could not be reached: ${atProxy.message}`
  return `the push service could not be reached${code === undefined ? '' : ` (${code})`}`
}

const addressesOf = async (host: string) => (await lookup(host, { all: true })).map(({ address }) => address)
