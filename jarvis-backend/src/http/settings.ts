import { type ProfileName, profileNames, SettingsBody, SettingsReply } from 'protocol'
import type { StepUp } from '../auth/step-up.ts'
import { type Route, route } from './route.ts'

/** `/api/settings`: reads the settings and sets the safety profile. A less strict profile requires the password again. */
export const settingsRoutes = (parts: {
  read(): SettingsReply
  setProfile(profile: ProfileName, by: string): void
  stepUp: StepUp
}): Route[] => [
  route('/settings').get('Profile, protected targets, SSH.', { role: 'viewer', reply: SettingsReply }, parts.read),
  route('/settings').put(
    'Sets the safety profile. A looser one needs the password.',
    { role: 'owner', password: 'sometimes', body: SettingsBody, reply: SettingsReply },
    ({ body: { profile }, by, identity }) => {
      const isLooser = profileNames.indexOf(profile) > profileNames.indexOf(parts.read().profile)
      if (isLooser) parts.stepUp.require(identity)
      parts.setProfile(profile, by)
      return parts.read()
    },
  ),
]
