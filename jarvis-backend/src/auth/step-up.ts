import { JarvisError } from '../protocol/index.ts'
import type { Identity } from './tokens.ts'

/** How long a password elevates a token, ms. */
export const elevationMs = 5 * 60_000

/**
 * Step-up authentication: some actions need the password again besides the token. An elevation belongs to one token, is valid at every
 * door, and is kept in memory, so a restart ends it.
 */
export function createStepUp(now: () => number) {
  const until = new Map<string, number>()
  const isElevated = ({ tokenHash }: Identity) => (until.get(tokenHash) ?? 0) > now()
  return {
    /** Elevates the token; call it after the password was checked. */
    elevate({ tokenHash }: Identity) {
      for (const [hash, end] of until) if (end <= now()) until.delete(hash)
      until.set(tokenHash, now() + elevationMs)
    },
    /** @throws JarvisError `step_up_required` unless the password was given for this token in the last five minutes */
    require(identity: Identity) {
      if (isElevated(identity)) return
      throw new JarvisError('step_up_required', 'This needs the password again. Nothing was changed.')
    },
    /** Ends a token's elevation. */
    end: ({ tokenHash }: Identity) => void until.delete(tokenHash),
    /** Ends all elevations. */
    endAll: () => until.clear(),
  }
}
export type StepUp = ReturnType<typeof createStepUp>
