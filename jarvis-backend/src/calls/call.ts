import type { Judgement } from './judge.ts'

export type { CallContext } from '../agent/tool-runner.ts'

/** A call that the gate lets through, at once or after a decision. */
export type Ready = Extract<Judgement, { kind: 'ready' }>
