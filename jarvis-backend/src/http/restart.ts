import { Router } from 'express'
import type { StepUp } from '../auth/step-up.ts'
import { JarvisError, type RestartReply } from '../protocol/index.ts'
import { identityOf, operatorOnly, passwordAgain } from './handle.ts'

/** `POST /api/restart`: what was saved for the next start counts. Nothing ends where the start would fail. */
export function restartRoutes(parts: {
  restart(): void
  /** Why the start would fail. */
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
    // Who asked has the answer before the connections close.
    response.once('close', parts.restart)
    response.status(202).json({ isRestarting: true } satisfies RestartReply)
  })
  return router
}
