import type { Guest, Target } from 'protocol'
import type { EffectKind } from './effect-kinds.ts'

/**
 * The kinds of things that an effect can be on. `file`: of the memory's folder. `tool`: an attached server's. `site`: the whole cluster. For
 * the workbench: `path`, a file or folder in a root of policy.yaml; `web`, an address; `container`, a Docker container; `sandbox`, a command
 * that affects only its sandbox.
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
 * Facts of a guest after a call. Policy, roles and topology judge later calls about the guest by them. Its number, kind and state are judged
 * anew at each call. `unread`: the guest gets tags that nobody has read yet, such as the tags in a backup. `had`: its tags by its own
 * configuration, because the cluster's list may be older or have no tags.
 */
export type Becomes = Partial<Pick<Guest, 'name' | 'tags' | 'pool' | 'node'>> & {
  unread?: true
  had?: readonly string[]
}

/** One effect of one call, on the thing that it reaches now. */
export type Effect = Touch & {
  /** `kind: 'none'` with an empty id when the target was not found. */
  target: Target
  /** For `power`: without a clean shutdown. */
  isForced?: boolean
  /** For `execute`: the argument that holds the text, and the text. */
  executes?: { argument: string; text: string }
  /** For `execute`: the text is proven to change nothing, so there is nothing to record or take back. */
  isReadOnly?: true
  /** The service of the target's node that changes, as the call names it. */
  service?: string
  /** The service is a unit of systemd, so that its node can be asked about it. */
  isUnit?: true
  becomes?: Becomes
  /** For `on: 'file'`: its path in the memory's folder. */
  file?: string
  /** For `on: 'file'`: a part of the file's text is replaced. */
  isRewrite?: true
  /** For `on: 'path'`: the root and the path in it. */
  place?: Place
  /** For `on: 'web'`. */
  url?: string
  /** The card shows every byte that changes. Words of a result in the arguments then make the call ask, and do not refuse it. */
  isShownWhole?: true
  /**
   * An argument that is the id of something that JARVIS made, such as a command. `because`: the card's words if a result gave the id and nobody
   * else named it.
   */
  refers?: { argument: string; because: string }
  /** A person may allow effects of this kind for a whole folder or site beforehand (`places/scopes.ts`). Absent: each call asks. */
  scope?: ScopeOf
  /** The card's sentence on what will happen, for kinds that the gate has no sentence for. Written by JARVIS, with names in quotes. */
  sentence?: string
  /** The words of the button that approves it, as an order: `move 105 to agent`. They hold ids, and no names that others chose. */
  deed?: string
  /** The least tier of a call with these arguments. `isAlways`: no profile and no operator's rule lowers it. */
  atLeast?: { tier: 'red' | 'black'; because: string; isAlways?: true }
}

/**
 * A kind of effect that a person may allow for more than one call. `files`: a change of a file that can be taken back, for its folder.
 * `clicks`: a click, or Enter, on a page, for its site.
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
  /** Proxmox keeps a task. `types`: its task types; `goal`: the guest's state when it is done, if the state tells more than the task. */
  | { vmid: number; types: readonly string[]; goal?: 'running' | 'stopped'; isTwoStep?: boolean }
  /** Nothing records the change. `look` tells a person how to see whether it took effect. */
  | { look: string }
  /** The change was made with the claim of the call. `begun`: its outcome, in words. */
  | { begun: string }
  /** The change is a list of files that is stored with the call. The files that are left are changed after a crash, so the outcome is known. */
  | { applies: true }

export const matches = (touch: Touch, wanted: Partial<Touch>): boolean =>
  (wanted.kind === undefined || wanted.kind === touch.kind) &&
  (wanted.on === undefined || wanted.on === touch.on) &&
  (wanted.action === undefined || wanted.action === touch.action) &&
  (wanted.type === undefined || wanted.type === touch.type)

/** Returns whether a call with the declared touch may have a wanted effect. An absent field may be anything. */
export const mayMatch = (touch: Touch, { kind, on, action, type }: Partial<Touch>): boolean =>
  (kind === undefined || kind === touch.kind) &&
  (on === undefined || on === touch.on) &&
  (action === undefined || touch.action === undefined || action === touch.action) &&
  (type === undefined || touch.type === undefined || type === touch.type)

/** Returns whether things of this kind have a place in the cluster, so that an effect must name its target. */
const isPlaced = (on: Thing) => on === 'guest' || on === 'node' || on === 'service' || on === 'storage'

const isOfWorkbench = (on: Thing) => on === 'path' || on === 'web' || on === 'container' || on === 'sandbox'

export const isLost = ({ kind, on, target }: Effect): boolean =>
  kind !== 'read' && target.kind === 'none' && (isPlaced(on) || (isOfWorkbench(on) && !target.id.startsWith(`${on}/`)))

export const noTarget: Target = { kind: 'none', id: '' }
