import { Router } from 'express'
import { type ProfileName, SettingsBody, type SettingsReply } from '../protocol/index.ts'
import { identityOf, operatorOnly, read } from './handle.ts'

export function settingsRoutes(parts: {
  read(): SettingsReply
  setProfile(profile: ProfileName, by: string): void
}): Router {
  const router = Router()
  router.get('/', (_request, response) => {
    response.json(parts.read())
  })
  router.put('/', operatorOnly, (request, response) => {
    parts.setProfile(read(SettingsBody, request.body).profile, identityOf(response).sub)
    response.json(parts.read())
  })
  return router
}
