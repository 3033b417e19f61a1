import {
  JarvisError,
  SetupClusterBody,
  SetupProbeBody,
  SetupProbeReply,
  SetupReply,
  SetupSaveReply,
  SetupTestReply,
} from 'protocol'
import type { Journal } from '../calls/ports.ts'
import { endOf } from './handle.ts'
import { type Route, route } from './route.ts'

/** The part of the setup that the routes use. Each method throws JarvisError `invalid_request`, `cluster_unreachable`, `conflict`. */
export type Setup = {
  current(): SetupReply
  probe(url: string, signal: AbortSignal): Promise<SetupProbeReply>
  test(cluster: SetupClusterBody, signal: AbortSignal): Promise<SetupTestReply>
  save(cluster: SetupClusterBody): SetupSaveReply
  /** @returns the addresses that were saved */
  forget(): string[]
}

/** `/api/setup`, for operators: connects a cluster. Secrets are accepted and never returned. */
export function setupRoutes(parts: {
  setup: Setup
  journal: Journal
  durably<T>(work: () => T): T
  /** Makes the redactor remove this secret from now on. */
  hide(secret: string): void
  /** Called after settings were saved. */
  changed(): void
}): Route[] {
  const { setup, journal, durably, hide } = parts
  const record = (change: string, by: string, more: object) =>
    durably(() => journal.append('setup', { change, by, ...more }))

  return [
    route('/setup').get(
      'The line that makes role, user and token on a node, and what is configured. `choices` are wider sets of rights.',
      { role: 'owner', reply: SetupReply },
      () => setup.current(),
    ),
    route('/setup/probe').post(
      'The certificate of an address.',
      { role: 'owner', body: SetupProbeBody, reply: SetupProbeReply },
      async ({ body: { url }, by, response }) => {
        try {
          const shown = await setup.probe(url, endOf(response))
          record('probed', by, { url: shown.url, fingerprint: shown.fingerprint })
          return shown
        } catch (error) {
          // A probe without an answer is journalled. A probe of an invalid address is not: nothing was contacted, and the text may contain anything.
          if (!(error instanceof JarvisError && error.code === 'invalid_request'))
            record('probed', by, { url, ok: false })
          throw error
        }
      },
    ),
    route('/setup/test').post(
      'Tries addresses and token; changes nothing. `choices` are those that the token does not have.',
      { role: 'owner', body: SetupClusterBody, reply: SetupTestReply },
      async ({ body, by, response }) => {
        hide(body.tokenSecret)
        const found = await setup.test(body, endOf(response))
        record('tested', by, { urls: body.urls, tokenId: body.tokenId, ok: found.ok })
        return found
      },
    ),
    route('/setup/save').post(
      'Saves the cluster for the next start.',
      { role: 'owner', password: true, body: SetupClusterBody, reply: SetupSaveReply },
      ({ body, by }) => {
        const { urls, tokenId, fingerprints } = body
        hide(body.tokenSecret)
        const saved = durably(() => {
          journal.append('setup', { change: 'saved', by, urls, tokenId, fingerprints })
          return setup.save(body)
        })
        parts.changed()
        return saved
      },
    ),
    route('/setup').delete(
      'Forgets the cluster: the demo serves from the next start on.',
      { role: 'owner', password: true },
      ({ by }) => {
        durably(() => {
          const urls = setup.forget()
          journal.append('setup', { change: 'forgotten', by, urls })
        })
        parts.changed()
      },
    ),
  ]
}
