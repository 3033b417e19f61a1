import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { JarvisError } from 'protocol'
import type { Expected, ForeignIdentity, IdentityProvider } from './oidc-provider.ts'

/** Time for a person at the other service, and afterwards for the page to end the sign-in, ms. */
const flowMs = 10 * 60_000
const doneMs = 60_000
/** Maximum number of answers that are remembered, because a stranger can bring any number of them. */
const mostKept = 10_000

/** The purpose of a flow. `tokenHash`: hash of the token of the sign-in that asked to link an account. */
export type Purpose = { kind: 'sign_in' } | { kind: 'link'; person: string; tokenHash: string }

type Flow = {
  purpose: Purpose
  /** SHA-256 of the page's secret, base64url. */
  page: string
  redirectUri: string
  until: number
  expected: Expected
}
/** `until`: the end of the time for which an answer is remembered. `end`: the outcome for the page, until the page has fetched it. */
type Answered = { until: number; end?: { outcome: ForeignIdentity | JarvisError; until: number } }

export interface Elsewhere {
  /** The service's name. */
  name: string
  /** @returns the address to which the browser goes, and the id for its cookie. @throws JarvisError `conflict` */
  begin(asked: Pick<Flow, 'purpose' | 'page' | 'redirectUri'>): Promise<{ url: string; id: string }>
  /**
   * Takes the answer that the browser brought back. The flow accepts no other answer afterwards, even if this one was refused; the page learns the
   * outcome from `end`.
   * @param query of the callback, with its `?`. @returns the purpose of the flow. @throws JarvisError `expired` for a browser without a flow
   */
  back(id: string | undefined, query: string): Promise<Purpose['kind']>
  /** Ends a flow, for the page that began it. @throws JarvisError `expired`; the error that `back` kept for the page */
  end<K extends Purpose['kind']>(
    id: string | undefined,
    secret: string,
    kind: K,
  ): { identity: ForeignIdentity; purpose: Extract<Purpose, { kind: K }> }
}

/**
 * Sign-in at another service. The page that began a flow also ends it. The browser holds the flow in a cookie, encrypted with a key of this start: a
 * stranger who begins many flows thus takes up no place on the server. The page holds a secret, and the service's answer is accepted once. The page
 * never learns the code, the token or the identity. A restart ends all flows.
 */
export function createElsewhere({ provider, now }: { provider: IdentityProvider; now(): number }): Elsewhere {
  const key = randomBytes(32)
  /** Answers by the hash of the cookie. */
  const answered = new Map<string, Answered>()

  const over = () =>
    new JarvisError('expired', `The sign-in at ${provider.name} is over or was begun in another browser. Begin again.`)
  function found(id: string | undefined): Flow {
    const flow = id === undefined ? undefined : opened(key, id)
    if (flow === undefined || flow.until <= now()) throw over()
    return flow
  }
  function keep(hash: string, answer: Answered) {
    answered.delete(hash)
    answered.set(hash, answer)
    for (const [oldest, { until }] of answered) {
      if (answered.size <= mostKept && until > now()) break
      answered.delete(oldest)
    }
  }

  return {
    name: provider.name,
    async begin(asked: Pick<Flow, 'purpose' | 'page' | 'redirectUri'>): Promise<{ url: string; id: string }> {
      const { url, expected } = await provider.begin(asked.redirectUri)
      return { url, id: sealed(key, { ...asked, expected, until: now() + flowMs }) }
    },
    async back(id: string | undefined, query: string): Promise<Purpose['kind']> {
      const { purpose, redirectUri, expected, until } = found(id)
      const hash = hashOf(id ?? '')
      if (answered.has(hash)) throw over()
      keep(hash, { until })
      const outcome = await provider.finish(new URL(redirectUri + query), expected).catch((error: unknown) => {
        if (error instanceof JarvisError) return error
        throw error
      })
      const pageUntil = now() + doneMs
      keep(hash, { until: Math.max(until, pageUntil), end: { outcome, until: pageUntil } })
      return purpose.kind
    },
    end<K extends Purpose['kind']>(
      id: string | undefined,
      secret: string,
      kind: K,
    ): { identity: ForeignIdentity; purpose: Extract<Purpose, { kind: K }> } {
      const flow = opened(key, id ?? '')
      const hash = hashOf(id ?? '')
      const { until = 0, end } = answered.get(hash) ?? {}
      if (flow === undefined || end === undefined || end.until <= now()) throw over()
      const { purpose, page } = flow
      if (purpose.kind !== kind || page !== pageOf(secret)) throw over()
      keep(hash, { until })
      const { outcome } = end
      if (outcome instanceof JarvisError) throw outcome
      return { identity: outcome, purpose: purpose as Extract<Purpose, { kind: K }> }
    },
  }
}

const hashOf = (id: string) => createHash('sha256').update(id).digest('hex')
const pageOf = (secret: string) => createHash('sha256').update(secret).digest('base64url')

const ivBytes = 12
const tagBytes = 16

function sealed(key: Buffer, flow: Flow): string {
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv('aes-256-gcm', key, iv)
  return Buffer.concat([iv, cipher.update(JSON.stringify(flow)), cipher.final(), cipher.getAuthTag()]).toString(
    'base64url',
  )
}

function opened(key: Buffer, id: string): Flow | undefined {
  const bytes = Buffer.from(id, 'base64url')
  // Accept only this spelling of the bytes, because others would give one flow several ids.
  if (bytes.length < ivBytes + tagBytes || bytes.toString('base64url') !== id) return undefined
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes })
  decipher.setAuthTag(bytes.subarray(-tagBytes))
  try {
    const text = Buffer.concat([decipher.update(bytes.subarray(ivBytes, -tagBytes)), decipher.final()])
    return JSON.parse(text.toString('utf8')) as Flow
  } catch {
    return undefined
  }
}
