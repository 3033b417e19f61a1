import { createHash, randomBytes } from 'node:crypto'
import { JarvisError } from '../protocol/index.ts'
import type { Expected, ForeignIdentity, IdentityProvider } from './oidc-provider.ts'

/** How long somebody may take at the service, and the page afterwards, ms. */
const flowMs = 10 * 60_000
const doneMs = 60_000
/** Flows under way, of all and of one network: a stranger can begin any number. */
const mostFlows = 1_000
const mostOfNetwork = 20

/** What a flow is for. `tokenHash`: of the sign-in that asked for the link. */
export type Purpose = { kind: 'sign_in' } | { kind: 'link'; person: string; tokenHash: string }

type Flow = {
  purpose: Purpose
  /** SHA-256 of the page's secret, base64url. */
  page: string
  network: string
  redirectUri: string
  until: number
} & ({ step: 'away'; expected: Expected } | { step: 'back'; outcome: ForeignIdentity | JarvisError })

/**
 * Signing in at another service, from the page that begins it to the page that ends it. The browser holds the flow's id in a cookie, the page a secret,
 * and the service's answer counts once. Code, token and identity are never told to the page. In memory: a restart ends all flows.
 */
export function createElsewhere({ provider, now }: { provider: IdentityProvider; now(): number }) {
  /** By the hash of the id in the cookie. */
  const flows = new Map<string, Flow>()

  const over = () =>
    new JarvisError('expired', `The sign-in at ${provider.name} is over or was begun in another browser. Begin again.`)
  function found(id: string | undefined): Flow {
    const flow = id === undefined ? undefined : flows.get(hashOf(id))
    if (flow === undefined || flow.until <= now()) throw over()
    return flow
  }

  return {
    name: provider.name,
    /** @returns where the browser goes, and the id for its cookie. @throws JarvisError `too_many_requests`, `conflict` */
    async begin(
      asked: Pick<Flow, 'purpose' | 'page' | 'network' | 'redirectUri'>,
    ): Promise<{ url: string; id: string }> {
      for (const [key, { until }] of flows) if (until <= now()) flows.delete(key)
      const same = [...flows.values()].filter(({ network }) => network === asked.network)
      if (flows.size >= mostFlows || same.length >= mostOfNetwork) {
        throw new JarvisError('too_many_requests', 'Too many sign-ins are under way. Try again in a few minutes.', {
          retryAfterS: 60,
        })
      }
      const { url, expected } = await provider.begin(asked.redirectUri)
      const id = randomBytes(32).toString('base64url')
      flows.set(hashOf(id), { ...asked, step: 'away', expected, until: now() + flowMs })
      return { url, id }
    },
    /**
     * Takes the answer that the browser brought back. Whatever it is, the flow takes no other; the page learns of it with `end`.
     * @param query of the callback, with its `?`. @returns what the flow was for. @throws JarvisError `expired` for a browser without a flow
     */
    async back(id: string | undefined, query: string): Promise<Purpose['kind']> {
      const flow = found(id)
      if (flow.step !== 'away') throw over()
      const { expected, ...rest } = flow
      const key = hashOf(id ?? '')
      flows.delete(key)
      const outcome = await provider.finish(new URL(flow.redirectUri + query), expected).catch((error: unknown) => {
        if (error instanceof JarvisError) return error
        throw error
      })
      flows.set(key, { ...rest, step: 'back', outcome, until: now() + doneMs })
      return flow.purpose.kind
    },
    /** Ends a flow, for the page that began it. @throws JarvisError `expired`; what `back` kept for the page */
    end<K extends Purpose['kind']>(
      id: string | undefined,
      secret: string,
      kind: K,
    ): { identity: ForeignIdentity; purpose: Extract<Purpose, { kind: K }> } {
      const flow = found(id)
      const { purpose } = flow
      if (flow.step !== 'back' || purpose.kind !== kind || flow.page !== pageOf(secret)) throw over()
      flows.delete(hashOf(id ?? ''))
      if (flow.outcome instanceof JarvisError) throw flow.outcome
      return { identity: flow.outcome, purpose: purpose as Extract<Purpose, { kind: K }> }
    },
  }
}
export type Elsewhere = ReturnType<typeof createElsewhere>

const hashOf = (id: string) => createHash('sha256').update(id).digest('hex')
const pageOf = (secret: string) => createHash('sha256').update(secret).digest('base64url')
