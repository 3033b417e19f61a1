import { type ProfileName, profileNames } from 'protocol'
import type { Journal } from './ports.ts'

export type ProfileSettings = { get(key: string): string | undefined; set(key: string, value: string): void }

const profileKey = 'profile'

/** A name that this version does not know is taken as the strictest. */
export function readProfile(settings: Pick<ProfileSettings, 'get'>): ProfileName {
  const kept = settings.get(profileKey) ?? 'balanced'
  return profileNames.find((name) => name === kept) ?? 'lockdown'
}

/** Inside a transaction of the caller's. @returns whether it was another before. */
export function setProfile(
  { settings, journal }: { settings: ProfileSettings; journal: Journal },
  profile: ProfileName,
  by: string,
): boolean {
  const from = readProfile(settings)
  if (from === profile) return false
  settings.set(profileKey, profile)
  journal.append('policy', { change: 'profile', from, to: profile, by })
  return true
}
