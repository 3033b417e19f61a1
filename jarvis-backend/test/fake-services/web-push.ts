import { createECDH, createPublicKey, randomBytes, verify } from 'node:crypto'
import { createRequire } from 'node:module'
import { authorityCertificate, borrowCertificate, returnCertificate } from 'fake-proxmox/server/certificates'
import type { PushMessage } from 'protocol'
import { onTestFinished } from 'vitest'
import { refill, startService, type Taken } from './service.ts'

const { decrypt } = createRequire(import.meta.url)('http_ece') as {
  decrypt(body: Buffer, how: object): Buffer
}

/** A browser as its push service and its sender know it, with what its worker shows. */
export function fakeBrowser(endpoint: string) {
  const pair = createECDH('prime256v1')
  const p256dh = pair.generateKeys('base64url')
  const auth = randomBytes(16).toString('base64url')
  /** By tag, oldest first. */
  const shown = new Map<string, PushMessage & Declared>()
  return {
    to: { endpoint, p256dh, auth },
    body: { endpoint, keys: { p256dh, auth }, label: 'phone' },
    shown,
    /** The worker's handling of a message. */
    take(message: PushMessage & Declared) {
      if (message.withdraws) shown.delete(message.tag)
      else shown.set(message.tag, message)
    },
    open: (sealed: Buffer) =>
      JSON.parse(
        decrypt(sealed, { version: 'aes128gcm', privateKey: pair, authSecret: auth }).toString(),
      ) as PushMessage & Declared,
  }
}
/** The declarative part of a message (W3C Push API). */
type Declared = { web_push?: number; notification?: { title: string; body: string; tag: string; navigate: string } }

/** The fault of a VAPID token (RFC 8292); undefined if the token is good. */
function tokenProblem(authorization: string | undefined, origin: string, allowed: string | undefined) {
  const [, token = '', k = ''] = /^vapid t=([\w.-]+), ?k=([\w-]+)$/.exec(authorization ?? '') ?? []
  const [head = '', body = '', signature = ''] = token.split('.')
  if (signature === '') return 'no token'
  const point = Buffer.from(k, 'base64url')
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString('base64url')) as [
    string,
    string,
  ]
  const key = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' })
  const signed = Buffer.from(`${head}.${body}`)
  const isSigned = verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url'))
  if (!isSigned || (allowed !== undefined && allowed !== k)) return 'another key'
  const { aud, exp, sub } = JSON.parse(Buffer.from(body, 'base64url').toString()) as Record<string, unknown>
  const inS = Number(exp) - Date.now() / 1_000
  if (aud !== origin || !(inS > 0 && inS <= 24 * 60 * 60)) return 'another audience or time'
  return /^(mailto:|https:)/.test(String(sub)) ? undefined : 'no contact'
}

/** A push service (RFC 8030, 8188, 8291, 8292) with one browser. It takes nothing that a real one refuses. */
export async function startPushService() {
  const certificate = await borrowCertificate()
  onTestFinished(() => returnCertificate(certificate))
  let isGone = false
  let vapidKey: string | undefined
  const problem = ({ headers, bytes }: Taken) => {
    if (!/^\d+$/.test(String(headers.ttl))) return { status: 400, text: 'TTL' }
    if (!['very-low', 'low', 'normal', 'high'].includes(String(headers.urgency)))
      return { status: 400, text: 'Urgency' }
    if (!/^[\w-]{1,32}$/.test(String(headers.topic))) return { status: 400, text: 'Topic' }
    if (headers['content-encoding'] !== 'aes128gcm') return { status: 415 }
    if (bytes.length > 4_096) return { status: 413 }
    const why = tokenProblem(headers.authorization, service.url, vapidKey)
    if (why === undefined) vapidKey = /k=([\w-]+)/.exec(headers.authorization ?? '')?.[1]
    return why === undefined ? undefined : { status: 403, text: why }
  }
  const service: Awaited<ReturnType<typeof startService>> = await startService((request) => {
    if (request.method !== 'POST' || request.path !== '/send/secret-1') return { status: 404 }
    if (isGone) return { status: 410 }
    const refused = problem(request)
    if (refused !== undefined) return refused
    browser.take(browser.open(request.bytes))
    return { status: 201, headers: { location: `${service.url}/message/1` } }
  }, certificate)
  const browser = fakeBrowser(`${service.url}/send/secret-1`)
  return {
    ...service,
    browser,
    ca: authorityCertificate(),
    shown: () => [...browser.shown.values()],
    /** Keeps what it has taken and what its browser shows. @returns what puts it back */
    keep() {
      const [taken, shown] = [[...service.taken], [...browser.shown]]
      return () => {
        refill(service.taken, taken)
        browser.shown.clear()
        for (const [tag, message] of shown) browser.shown.set(tag, message)
      }
    },
    /** The browser ends its subscription. */
    end() {
      isGone = true
    },
  }
}
