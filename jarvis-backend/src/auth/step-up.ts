import { JarvisError } from 'protocol'
import type { Identity } from './tokens.ts'

/** Time for which a password elevates a token, ms. */
export const elevationMs = 5 * 60_000

/**
 * Step-up authentication: some actions need the password again besides the token. An elevation belongs to one token, is valid at every
 * door, and is kept in memory, so a restart ends it.
 */
export function createStepUp(now: () => number) {
  const elevated = new Map<string, { until: number; person: string }>()
  const isElevated = ({ tokenHash }: Identity) => (elevated.get(tokenHash)?.until ?? 0) > now()
  return {
    /** Elevates the token. Call it after the password was checked. */
    elevate({ tokenHash, person }: Identity) {
      for (const [hash, { until }] of elevated) if (until <= now()) elevated.delete(hash)
      elevated.set(tokenHash, { until: now() + elevationMs, person: person.id })
    },
    /** @throws JarvisError `step_up_required` unless the password was given for this token in the last five minutes */
    require(identity: Identity) {
      if (isElevated(identity)) return
      throw new JarvisError('step_up_required', 'This needs the password again. Nothing was changed.')
    },
    /** Ends a token's elevation. */
    end: ({ tokenHash }: Identity) => void elevated.delete(tokenHash),
    /** Ends all elevations. */
    endAll: () => elevated.clear(),
    /** Ends all elevations of a person. */
    endOf(id: string) {
      for (const [hash, { person }] of elevated) if (person === id) elevated.delete(hash)
    },
  }
}
export type StepUp = ReturnType<typeof createStepUp>
