import { Router } from 'express'
import { JarvisError, type RestartReply } from '../protocol/index.ts'
import { identityOf, operatorOnly } from './handle.ts'

/** `POST /api/restart`: what was saved for the next start counts. Nothing ends where nothing would start again. */
export function restartRoutes(parts: {
  /** Absent where nothing is known to start it again. */
  restart: (() => void) | undefined
  /** Why the start would fail. */
  problem(): string | undefined
  isStopping(): boolean
  record(by: string): void
}): Router {
  const { restart } = parts
  const router = Router()
  router.post('/', operatorOnly, (_request, response) => {
    if (restart === undefined) {
      const message =
        'Nothing was restarted: nothing here is known to start JARVIS again. Restart it where it was started: npm start again, docker compose restart, systemctl restart. JARVIS_SUPERVISED=1 says that something would.'
      throw new JarvisError('conflict', message)
    }
    if (parts.isStopping()) throw new JarvisError('shutting_down', 'JARVIS is shutting down already.')
    const problem = parts.problem()
    if (problem !== undefined) {
      throw new JarvisError('conflict', `Nothing was restarted: JARVIS would not start again. ${problem}`)
    }
    parts.record(identityOf(response).sub)
    // Who asked has the answer before the connections close.
    response.once('close', restart)
    response.status(202).json({ isRestarting: true } satisfies RestartReply)
  })
  return router
}
