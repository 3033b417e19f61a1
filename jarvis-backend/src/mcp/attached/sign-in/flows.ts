import { randomBytes } from 'node:crypto'
import type { OAuthClientInformationMixed } from '@modelcontextprotocol/client'
import { JarvisError } from 'protocol'
import { originOfDocument } from './client.ts'
import { type Found, SignInRefused } from './discovery.ts'
import { hashOf, type OwnClient } from './tokens.ts'

/** Time limit for an owner at the authorization server, ms. */
const flowMs = 10 * 60_000
const mostFlows = 50

export type Flow = {
  server: string
  url: string
  by: string
  found: Found
  client: OAuthClientInformationMixed
  redirectUri: string
  address: string
  scopes: string[]
  state: string
  verifier: string
  /** Unix ms. */
  until: number
  /** SHA-256 of the cookie of the browser that opened it. */
  browser?: string
  own?: OwnClient | undefined
}

const over = () => new JarvisError('expired', 'This sign-in is over, or was begun in another browser. Begin again.')

/** Sign-ins that were begun and have not ended. They are in memory, so a restart ends them. */
export class Flows {
  readonly #now: () => number
  /** By the hash of the id. */
  readonly #flows = new Map<string, Flow>()

  constructor(now: () => number) {
    this.#now = now
  }

  /** Adds a flow, for ten minutes. @returns its id. @throws SignInRefused if too many are open */
  add(flow: Omit<Flow, 'until' | 'browser'>): string {
    const id = randomBytes(32).toString('base64url')
    for (const [known, { until }] of this.#flows) if (until <= this.#now()) this.#flows.delete(known)
    if (this.#flows.size >= mostFlows)
      throw new SignInRefused('Too many sign-ins are open. Finish one, or wait ten minutes.')
    this.#flows.set(hashOf(id), { ...flow, until: this.#now() + flowMs })
    return id
  }

  /**
   * Opens a flow in one browser; a flow can be opened only once. @returns the cookie for this browser, and the address that the browser must go to.
   * @throws JarvisError `expired`
   */
  start(id: string): { cookie: string; address: string } {
    const flow = this.#flows.get(hashOf(id))
    if (flow === undefined || flow.browser !== undefined || flow.until <= this.#now()) throw over()
    const cookie = randomBytes(32).toString('base64url')
    flow.browser = hashOf(cookie)
    return { cookie, address: flow.address }
  }

  /** Removes and returns the flow of a browser, so that a flow takes only one answer. @throws JarvisError `expired` */
  take(cookie: string | undefined): Flow {
    const browser = cookie === undefined ? undefined : hashOf(cookie)
    const [id, flow] = [...this.#flows].find(([, one]) => one.browser !== undefined && one.browser === browser) ?? []
    if (id === undefined || flow === undefined || flow.until <= this.#now()) throw over()
    this.#flows.delete(id)
    return flow
  }

  /** True if a browser was sent to the authorization server with JARVIS's client document and did not come back. The server may be unable to read the document. */
  isUnanswered(server: string, issuer: string, origin: string): boolean {
    return [...this.#flows.values()].some(
      ({ server: of, found, client, browser }) =>
        of === server &&
        browser !== undefined &&
        found.metadata.issuer === issuer &&
        originOfDocument(client) === origin,
    )
  }
}
