import { Router } from 'express'
import type { StepUp } from '../auth/step-up.ts'
import type { Journal } from '../calls/ports.ts'
import {
  JarvisError,
  SetupClusterBody,
  SetupProbeBody,
  type SetupProbeReply,
  type SetupReply,
  type SetupSaveReply,
  type SetupTestReply,
} from '../protocol/index.ts'
import { endOf, identityOf, operatorOnly, passwordAgain, read } from './handle.ts'

/** What the routes need of the setup. Each method throws JarvisError `invalid_request`, `cluster_unreachable`, `conflict`. */
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
  /** Adds a secret to the redactor. */
  hide(secret: string): void
  /** Called after settings were saved. */
  changed(): void
  stepUp: StepUp
}): Router {
  const fresh = passwordAgain(parts.stepUp)
  const { setup, journal, durably } = parts
  const router = Router()
  router.use(operatorOnly)
  const clusterIn = (body: unknown) => {
    const cluster = read(SetupClusterBody, body)
    parts.hide(cluster.tokenSecret)
    return cluster
  }
  const record = (change: string, by: string, more: object) =>
    durably(() => journal.append('setup', { change, by, ...more }))

  router.get('/', (_request, response) => {
    response.json(setup.current())
  })
  router.post('/probe', async (request, response) => {
    const { url } = read(SetupProbeBody, request.body)
    const by = identityOf(response).sub
    try {
      const shown = await setup.probe(url, endOf(response))
      record('probed', by, { url: shown.url, fingerprint: shown.fingerprint })
      response.json(shown)
    } catch (error) {
      // A probe that nobody answered is journalled. An invalid address was never contacted and may hold anything, so it is not.
      if (!(error instanceof JarvisError && error.code === 'invalid_request')) record('probed', by, { url, ok: false })
      throw error
    }
  })
  router.post('/test', async (request, response) => {
    const cluster = clusterIn(request.body)
    const found = await setup.test(cluster, endOf(response))
    record('tested', identityOf(response).sub, { urls: cluster.urls, tokenId: cluster.tokenId, ok: found.ok })
    response.json(found)
  })
  router.post('/save', fresh, (request, response) => {
    const cluster = clusterIn(request.body)
    const { urls, tokenId, fingerprints } = cluster
    const saved = durably(() => {
      journal.append('setup', { change: 'saved', by: identityOf(response).sub, urls, tokenId, fingerprints })
      return setup.save(cluster)
    })
    parts.changed()
    response.json(saved)
  })
  router.delete('/', fresh, (_request, response) => {
    durably(() => {
      const urls = setup.forget()
      journal.append('setup', { change: 'forgotten', by: identityOf(response).sub, urls })
    })
    parts.changed()
    response.status(204).end()
  })
  return router
}
