import type { Effect } from './effect.ts'
import { effectKindFacts } from './effect-kinds.ts'

/** The modes for signed cards. `session`: no card must be signed; `heavy`: cards of heavy calls; `passkey`: all cards. */
export const proofModes = ['session', 'heavy', 'passkey'] as const
export type ProofMode = (typeof proofModes)[number]

/** Returns true if a call may be hard or impossible to take back: an effect is of a heavy kind, or turns a node off. */
export const isHeavy = (effects: readonly Effect[]): boolean =>
  effects.some(
    ({ kind, on, action }) =>
      effectKindFacts(kind)?.isHeavy === true || (kind === 'power' && on === 'node' && action !== 'start'),
  )

/** Returns true if the policy's mode requires a signature on a call's card. */
export const isSignedBy = (mode: ProofMode, effects: readonly Effect[]): boolean =>
  mode === 'passkey' || (mode === 'heavy' && isHeavy(effects))
