import type { Target } from '../protocol/index.ts'

/**
 * What a call does, in the words that the gate goes by.
 * - `read`: changes nothing. `power`: starts, stops or restarts. `config`: other settings. `data`: other contents.
 * - `create`, `destroy`: a thing more or less. `execute`: runs a text that a machine reads. `network`: reaches out.
 * - `credential`: gives or takes access. `notify`: tells a person. `remote`: whatever another server makes of it.
 * - `unknown`: nobody can say; it always asks.
 */
export const effectKinds = [
  ...(['read', 'power', 'config', 'data', 'create', 'destroy', 'execute', 'network', 'credential', 'notify'] as const),
  ...(['remote', 'unknown'] as const),
] as const
export type EffectKind = (typeof effectKinds)[number]

/** What it is done to. `file`: one of the workspace. `tool`: an attached server's. `site`: the cluster as a whole. */
export const things = ['guest', 'node', 'service', 'storage', 'file', 'tool', 'site'] as const
export type Thing = (typeof things)[number]

/** A kind of effect on a kind of thing: what a tool's calls may come to, and what a rule is about. */
export type Touch = { kind: EffectKind; on: Thing; action?: PowerAction; type?: 'vm' | 'ct' }
export type PowerAction = 'start' | 'stop' | 'restart'

/** One effect of one call, on the thing that it reaches now. */
export type Effect = Touch & {
  /** `kind: 'none'` with an empty id where it was not found. */
  target: Target
  /** Of `power`: without a clean end. */
  isForced?: boolean
  /** Of `execute`: the argument that holds the text, and the text. */
  executes?: { argument: string; text: string }
  /** The service of the target's node that changes, as the call names it. */
  service?: string
  /** The service is a unit of systemd, so that its node can be asked about it. */
  isUnit?: true
  /** Of `on: 'file'`: its path in the workspace. */
  file?: string
  /** What will happen, where the gate has no sentence of its own for this kind. JARVIS's words, with names in quotes. */
  sentence?: string
}

/** A mistake of the caller's that it can mend; the message names the field. Nothing runs. */
export class Mistake extends Error {}

/** How the outcome of a change is found after its answer was lost, from its arguments alone. */
export type Ending =
  /** Proxmox keeps a task of it: `types` are its words, `goal` the state the guest is in when it is done. */
  | { vmid: number; types: readonly string[]; goal: 'running' | 'stopped'; isTwoStep?: boolean }
  /** Nothing keeps it: where a person sees whether it took effect. */
  | { look: string }

export const matches = (touch: Touch, wanted: Partial<Touch>): boolean =>
  (wanted.kind === undefined || wanted.kind === touch.kind) &&
  (wanted.on === undefined || wanted.on === touch.on) &&
  (wanted.action === undefined || wanted.action === touch.action) &&
  (wanted.type === undefined || wanted.type === touch.type)

/** Whether a declared effect may turn out as what is wanted: what it leaves open may be anything. */
export const mayMatch = (touch: Touch, { kind, on, action, type }: Partial<Touch>): boolean =>
  (kind === undefined || kind === touch.kind) &&
  (on === undefined || on === touch.on) &&
  (action === undefined || touch.action === undefined || action === touch.action) &&
  (type === undefined || touch.type === undefined || type === touch.type)

/** Whether the thing has a place in the cluster, so that an effect on it must say which one it is. */
const isPlaced = (on: Thing) => on === 'guest' || on === 'node' || on === 'service' || on === 'storage'

export const isLost = ({ kind, on, target }: Effect): boolean =>
  kind !== 'read' && isPlaced(on) && target.kind === 'none'

export const noTarget: Target = { kind: 'none', id: '' }
