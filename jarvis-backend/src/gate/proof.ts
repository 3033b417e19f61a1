import type { Effect } from './effect.ts'
import { effectKindFacts } from './effect-kinds.ts'

/** Which cards must be signed: none, those of heavy calls, or all. */
export const proofModes = ['session', 'heavy', 'passkey'] as const
export type ProofMode = (typeof proofModes)[number]

/** Tells if a call may do what is hard or impossible to take back: an effect is of a heavy kind, or turns a node off. */
export const isHeavy = (effects: readonly Effect[]): boolean =>
  effects.some(
    ({ kind, on, action }) =>
      effectKindFacts(kind)?.isHeavy === true || (kind === 'power' && on === 'node' && action !== 'start'),
  )

/** Whether the policy's mode wants a call's card signed. */
export const isSignedBy = (mode: ProofMode, effects: readonly Effect[]): boolean =>
  mode === 'passkey' || (mode === 'heavy' && isHeavy(effects))
