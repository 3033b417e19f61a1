import { JarvisError } from '../protocol/index.ts'
import type { Identity } from './tokens.ts'

/** How long one password counts for one token. */
export const elevationMs = 5 * 60_000

/**
 * Step-up authentication: what a token alone may not do asks for the password again. An elevation belongs to one token,
 * counts at every door, and lives in memory: a restart ends it.
 */
export function createStepUp(now: () => number) {
  const until = new Map<string, number>()
  const isElevated = ({ tokenHash }: Identity) => (until.get(tokenHash) ?? 0) > now()
  return {
    /** The holder of this token has just given the password. */
    elevate({ tokenHash }: Identity) {
      for (const [hash, end] of until) if (end <= now()) until.delete(hash)
      until.set(tokenHash, now() + elevationMs)
    },
    /** @throws JarvisError `step_up_required` unless the password was given for this token in the last five minutes. */
    require(identity: Identity) {
      if (isElevated(identity)) return
      throw new JarvisError('step_up_required', 'This needs the password again. Nothing was changed.')
    },
    /** The token was revoked. */
    end: ({ tokenHash }: Identity) => void until.delete(tokenHash),
    /** The password was changed. */
    endAll: () => until.clear(),
  }
}
export type StepUp = ReturnType<typeof createStepUp>
