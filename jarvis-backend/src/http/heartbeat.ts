import { Router } from 'express'
import type { HeartbeatReply } from '../protocol/index.ts'
import { identityOf, operatorOnly } from './handle.ts'

/** `/api/heartbeat`: the heartbeat as earlier clients know it; it is also one of the jobs. */
export function heartbeatRoutes(heartbeat: {
  reply(): HeartbeatReply
  switchTo(isOn: boolean, by: string): void
  run(by: string): void
}): Router {
  const router = Router()
  router.get('/', (_request, response) => {
    response.json(heartbeat.reply())
  })
  router.post('/start', operatorOnly, (_request, response) => {
    heartbeat.switchTo(true, identityOf(response).sub)
    response.json(heartbeat.reply())
  })
  router.post('/stop', operatorOnly, (_request, response) => {
    heartbeat.switchTo(false, identityOf(response).sub)
    response.json(heartbeat.reply())
  })
  router.post('/run', operatorOnly, (_request, response) => {
    heartbeat.run(identityOf(response).sub)
    response.status(202).json(heartbeat.reply())
  })
  return router
}
