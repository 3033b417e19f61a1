import { JarvisError, RestartReply } from 'protocol'
import { type Route, route } from './route.ts'

/** `POST /api/restart`: restarts with the saved settings. Refused if the start would fail. */
export const restartRoutes = (parts: {
  restart(): void
  /** Returns the reason why the start would fail; undefined if it would succeed. */
  problem(): string | undefined
  isStopping(): boolean
  record(by: string): void
}): Route[] => [
  route('/restart').post(
    'Closes everything and starts again with the saved settings. 409 where that start would fail.',
    { role: 'owner', password: true, status: 202, reply: RestartReply },
    ({ by, response }) => {
      if (parts.isStopping()) throw new JarvisError('shutting_down', 'JARVIS is shutting down already.')
      const problem = parts.problem()
      if (problem !== undefined) {
        throw new JarvisError('conflict', `Nothing was restarted: JARVIS would not start again here. ${problem}`)
      }
      parts.record(by)
      // Restart only after the answer has been sent.
      response.once('close', parts.restart)
      return { isRestarting: true as const }
    },
  ),
]
