import { Router } from 'express'
import type { StepUp } from '../auth/step-up.ts'
import { type ProfileName, profileNames, SettingsBody, type SettingsReply } from '../protocol/index.ts'
import { identityOf, operatorOnly, read } from './handle.ts'

/** `/api/settings`: reads the settings and sets the safety profile; a looser one requires the password again. */
export function settingsRoutes(parts: {
  read(): SettingsReply
  setProfile(profile: ProfileName, by: string): void
  stepUp: StepUp
}): Router {
  const router = Router()
  router.get('/', (_request, response) => {
    response.json(parts.read())
  })
  router.put('/', operatorOnly, (request, response) => {
    const { profile } = read(SettingsBody, request.body)
    const isLooser = profileNames.indexOf(profile) > profileNames.indexOf(parts.read().profile)
    if (isLooser) parts.stepUp.require(identityOf(response))
    parts.setProfile(profile, identityOf(response).sub)
    response.json(parts.read())
  })
  return router
}
