import type { Guest, Target } from 'protocol'
import type { EffectKind } from './effect-kinds.ts'

/**
 * Kinds of things that an effect is on. `file`: of the memory's folder. `tool`: an attached server's. `site`: the whole cluster. Of the workbench: `path`, a
 * file or folder in a root of policy.yaml; `web`, an address; `container`, one of Docker's; `sandbox`, a command that only its sandbox feels.
 */
export const things = [
  ...(['guest', 'node', 'service', 'storage', 'file', 'tool', 'site'] as const),
  ...(['path', 'web', 'container', 'sandbox'] as const),
] as const
export type Thing = (typeof things)[number]

/** A kind of effect on a kind of thing. Tools declare the touches of their calls; rules select effects by them. */
export type Touch = { kind: EffectKind; on: Thing; action?: PowerAction; type?: 'vm' | 'ct' }
export type PowerAction = 'start' | 'stop' | 'restart'

/**
 * Facts of a guest by which the policy, roles and topology judge later calls about it, as a call leaves them. Its number, kind and state are
 * judged anew at each call. `unread`: the guest gets tags that nobody has read yet, as those of a backup. `had`: its tags by its own
 * configuration, because the cluster's list may be older or have none.
 */
export type Becomes = Partial<Pick<Guest, 'name' | 'tags' | 'pool' | 'node'>> & {
  unread?: true
  had?: readonly string[]
}

/** One effect of one call, on the thing that it reaches now. */
export type Effect = Touch & {
  /** `kind: 'none'` with an empty id when the target was not found. */
  target: Target
  /** Of `power`: without a clean end. */
  isForced?: boolean
  /** Of `execute`: the argument that holds the text, and the text. */
  executes?: { argument: string; text: string }
  /** Of `execute`: the text is proven to change nothing, so that there is nothing to record or take back. */
  isReadOnly?: true
  /** The service of the target's node that changes, as the call names it. */
  service?: string
  /** The service is a unit of systemd, so that its node can be asked about it. */
  isUnit?: true
  becomes?: Becomes
  /** Of `on: 'file'`: its path in the memory's folder. */
  file?: string
  /** Of `on: 'file'`: a part of what stands there becomes another text. */
  isRewrite?: true
  /** Of `on: 'path'`: where it is. */
  place?: Place
  /** Of `on: 'web'`. */
  url?: string
  /** The card shows every byte that changes, so words of a result in the arguments ask and do not refuse. */
  isShownWhole?: true
  /** An argument that is the id of what JARVIS made, such as a command, and the card's words where a result gave the id and nobody else named it. */
  refers?: { argument: string; because: string }
  /** A person may allow effects of this kind for a whole folder or site beforehand (`places/scopes.ts`). Absent: each call asks. */
  scope?: ScopeOf
  /** What will happen, for kinds that the gate has no sentence for. Written by JARVIS, with names in quotes. */
  sentence?: string
  /** The same for the button that approves it, as an order: `move 105 to agent`. It names ids and no name that others chose. */
  deed?: string
  /** The least tier of a call with these arguments. `isAlways`: no profile and no operator's rule lowers it. */
  atLeast?: { tier: 'red' | 'black'; because: string; isAlways?: true }
}

/**
 * What may be allowed for more than one call. `files`: a change of a file that can be taken back, for its folder. `clicks`: a click, or Enter,
 * on a page, for its site.
 */
export type ScopeOf = 'files' | 'clicks'

/**
 * A path as a call names it. `root`: the name of a root in policy.yaml, or `session`; undefined: no root holds it. `path`: relative to the
 * root, normalised, empty for the root itself.
 */
export type Place = { root: string | undefined; path: string }

/** A mistake in the arguments that the caller can correct. The message names the field; nothing runs. */
export class Mistake extends Error {}

/** How the outcome of a change is found after its answer was lost, from its arguments alone. */
export type Ending =
  /** Proxmox keeps a task. `types`: its task types; `goal`: the guest's state when it is done, where that tells more than the task. */
  | { vmid: number; types: readonly string[]; goal?: 'running' | 'stopped'; isTwoStep?: boolean }
  /** Nothing records the change. `look` tells a person where to see whether it took effect. */
  | { look: string }
  /** The change was made with the claim of the call. `begun`: what became of it, in words. */
  | { begun: string }
  /** The change is a list of files that was kept with the call: what is left of it is done, and its outcome is known. */
  | { applies: true }

export const matches = (touch: Touch, wanted: Partial<Touch>): boolean =>
  (wanted.kind === undefined || wanted.kind === touch.kind) &&
  (wanted.on === undefined || wanted.on === touch.on) &&
  (wanted.action === undefined || wanted.action === touch.action) &&
  (wanted.type === undefined || wanted.type === touch.type)

/** Whether a call with the declared touch may have a wanted effect. An absent field may be anything. */
export const mayMatch = (touch: Touch, { kind, on, action, type }: Partial<Touch>): boolean =>
  (kind === undefined || kind === touch.kind) &&
  (on === undefined || on === touch.on) &&
  (action === undefined || touch.action === undefined || action === touch.action) &&
  (type === undefined || touch.type === undefined || type === touch.type)

/** Whether things of this kind have a place in the cluster, so that an effect must name its target. */
const isPlaced = (on: Thing) => on === 'guest' || on === 'node' || on === 'service' || on === 'storage'

const isOfWorkbench = (on: Thing) => on === 'path' || on === 'web' || on === 'container' || on === 'sandbox'

export const isLost = ({ kind, on, target }: Effect): boolean =>
  kind !== 'read' && target.kind === 'none' && (isPlaced(on) || (isOfWorkbench(on) && !target.id.startsWith(`${on}/`)))

export const noTarget: Target = { kind: 'none', id: '' }
