import type { Guest, Target } from 'protocol'
import type { EffectKind } from './effect-kinds.ts'

/**
 * The kinds of objects that an effect can be on. `file`: a file in the memory's folder. `tool`: a tool of an attached server. `site`: the whole
 * cluster. For the workbench: `path`, a file or folder in a root of policy.yaml; `web`, an address; `container`, a Docker container; `sandbox`, a
 * command that affects only its sandbox.
 */
export const things = [
  ...(['guest', 'node', 'service', 'storage', 'file', 'tool', 'site'] as const),
  ...(['path', 'web', 'container', 'sandbox'] as const),
] as const
export type Thing = (typeof things)[number]

/** A kind of effect on a kind of object. Tools declare the touches of their calls; rules select effects by touches. */
export type Touch = { kind: EffectKind; on: Thing; action?: PowerAction; type?: 'vm' | 'ct' }
export type PowerAction = 'start' | 'stop' | 'restart'

/**
 * The facts that a guest will have after a call. Policy, roles and topology use these facts to judge the guest after the call. Vmid, type and state
 * are not included, because they are read again at each call. `unread`: the call gives the guest tags that JARVIS has not read, such as the tags in a
 * backup. `had`: the guest's tags before the call, from its own configuration; the cluster's list may be older or lack them.
 */
export type Becomes = Partial<Pick<Guest, 'name' | 'tags' | 'pool' | 'node'>> & {
  unread?: true
  had?: readonly string[]
}

/** One effect of one call, on the object that it affects now. */
export type Effect = Touch & {
  /** The kind `none` with an empty id if the target was not found. */
  target: Target
  /** For `power`: true if there is no clean shutdown. */
  isForced?: boolean
  /** For `execute`: the name of the argument with the executed text, and the text. */
  executes?: { argument: string; text: string }
  /** For `execute`: true if the text is proven to change nothing. Nothing is then recorded, and nothing can be taken back. */
  isReadOnly?: true
  /** The service on the target's node that the call changes, named as in the call. */
  service?: string
  /** True if the service is a systemd unit, so that its node can be asked about it. */
  isUnit?: true
  becomes?: Becomes
  /** For `on: 'file'`: the file's path in the memory's folder. */
  file?: string
  /** For `on: 'file'`: true if a part of the file's text is replaced. */
  isRewrite?: true
  /** For `on: 'path'`: the root, and the path in the root. */
  place?: Place
  /** For `on: 'web'`: the address. */
  url?: string
  /**
   * True if the card shows every byte that changes. If the arguments then contain words from a tool result, the call asks a person and is not
   * refused.
   */
  isShownWhole?: true
  /** An argument that is the id of a thing that JARVIS made, such as a command. `because`: the card's text if only a tool result named this id. */
  refers?: { argument: string; because: string }
  /** Set if a person may grant effects of this kind for a whole folder or website (`places/scopes.ts`). Absent: each call asks. */
  scope?: ScopeOf
  /** The card's sentence on what will happen, for kinds without a sentence in the gate. JARVIS writes it; names in it are quoted. */
  sentence?: string
  /**
   * The label of the button that approves the effect, as an imperative: `move 105 to agent`. It contains ids, and no names that other people chose.
   */
  deed?: string
  /** The lowest tier of a call with these arguments. `isAlways`: neither a profile nor an operator's rule lowers it. */
  atLeast?: { tier: 'red' | 'black'; because: string; isAlways?: true }
}

/**
 * A kind of effect that a person may grant for more than one call. `files`: a file change that can be taken back, granted for the file's folder.
 * `clicks`: a click or Enter on a page, granted for the page's website.
 */
export type ScopeOf = 'files' | 'clicks'

/**
 * A path as a call names it. `root`: the name of a root in policy.yaml, or `session`; undefined if the path is in no root. `path`: relative to the
 * root, normalised; empty for the root itself.
 */
export type Place = { root: string | undefined; path: string }

/** A mistake in the arguments that the caller can correct. The message names the field; nothing runs. */
export class Mistake extends Error {}

/** Describes, from a change's arguments alone, how its outcome is found after its answer was lost. */
export type Ending =
  /**
   * Proxmox keeps a task of the change. `types`: the possible task types. `goal`: the guest's state after the change, if the state is better
   * evidence than the task.
   */
  | { vmid: number; types: readonly string[]; goal?: 'running' | 'stopped'; isTwoStep?: boolean }
  /** Nothing records the change. `look`: tells a person how to check if it took effect. */
  | { look: string }
  /** The change was made in the transaction of the call's claim. `begun`: the outcome, in words. */
  | { begun: string }
  /** The change is a list of files that is stored with the call. After a crash JARVIS changes the files that are left, so the outcome is known. */
  | { applies: true }

export const matches = (touch: Touch, wanted: Partial<Touch>): boolean =>
  (wanted.kind === undefined || wanted.kind === touch.kind) &&
  (wanted.on === undefined || wanted.on === touch.on) &&
  (wanted.action === undefined || wanted.action === touch.action) &&
  (wanted.type === undefined || wanted.type === touch.type)

/** Returns true if a call with the declared touch may have a wanted effect. An absent field matches everything. */
export const mayMatch = (touch: Touch, { kind, on, action, type }: Partial<Touch>): boolean =>
  (kind === undefined || kind === touch.kind) &&
  (on === undefined || on === touch.on) &&
  (action === undefined || touch.action === undefined || action === touch.action) &&
  (type === undefined || touch.type === undefined || type === touch.type)

/** Returns true if objects of this kind have a place in the cluster, so that an effect must name its target. */
const isPlaced = (on: Thing) => on === 'guest' || on === 'node' || on === 'service' || on === 'storage'

const isOfWorkbench = (on: Thing) => on === 'path' || on === 'web' || on === 'container' || on === 'sandbox'

export const isLost = ({ kind, on, target }: Effect): boolean =>
  kind !== 'read' && target.kind === 'none' && (isPlaced(on) || (isOfWorkbench(on) && !target.id.startsWith(`${on}/`)))

export const noTarget: Target = { kind: 'none', id: '' }
