import { type ProfileName, profileNames } from 'protocol'
import type { Journal } from './ports.ts'

export type ProfileSettings = { get(key: string): string | undefined; set(key: string, value: string): void }

const profileKey = 'profile'

/** Returns the profile. An unknown name counts as the strictest profile. */
export function readProfile(settings: Pick<ProfileSettings, 'get'>): ProfileName {
  const kept = settings.get(profileKey) ?? 'balanced'
  return profileNames.find((name) => name === kept) ?? 'lockdown'
}

/** Sets the profile and writes the change to the journal. The caller provides the transaction. @returns true if the profile changed */
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
