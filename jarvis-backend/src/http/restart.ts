import { Router } from 'express'
import type { StepUp } from '../auth/step-up.ts'
import { JarvisError, type RestartReply } from '../protocol/index.ts'
import { identityOf, operatorOnly, passwordAgain } from './handle.ts'

/** `POST /api/restart`: restarts with the saved settings. Refused where the start would fail. */
export function restartRoutes(parts: {
  restart(): void
  /** Why the start would fail; undefined when it would succeed. */
  problem(): string | undefined
  isStopping(): boolean
  record(by: string): void
  stepUp: StepUp
}): Router {
  const router = Router()
  router.post('/', operatorOnly, passwordAgain(parts.stepUp), (_request, response) => {
    if (parts.isStopping()) throw new JarvisError('shutting_down', 'JARVIS is shutting down already.')
    const problem = parts.problem()
    if (problem !== undefined) {
      throw new JarvisError('conflict', `Nothing was restarted: JARVIS would not start again here. ${problem}`)
    }
    parts.record(identityOf(response).sub)
    // Restart only after the answer has been sent.
    response.once('close', parts.restart)
    response.status(202).json({ isRestarting: true } satisfies RestartReply)
  })
  return router
}
