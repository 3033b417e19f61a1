import type { Effect } from './effect.ts'
import { effectKindFacts } from './effect-kinds.ts'

/** The modes of signing: no cards must be signed (`session`), cards of heavy calls (`heavy`), or all (`passkey`). */
export const proofModes = ['session', 'heavy', 'passkey'] as const
export type ProofMode = (typeof proofModes)[number]

/** Returns whether a call may be hard or impossible to take back: an effect is of a heavy kind, or turns a node off. */
export const isHeavy = (effects: readonly Effect[]): boolean =>
  effects.some(
    ({ kind, on, action }) =>
      effectKindFacts(kind)?.isHeavy === true || (kind === 'power' && on === 'node' && action !== 'start'),
  )

/** Returns whether the policy's mode wants a call's card signed. */
export const isSignedBy = (mode: ProofMode, effects: readonly Effect[]): boolean =>
  mode === 'passkey' || (mode === 'heavy' && isHeavy(effects))
