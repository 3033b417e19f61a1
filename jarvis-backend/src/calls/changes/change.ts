import { whoseIs } from 'homelab-ports/guest-identity'
import { hashOf } from 'node-kit/canonical'
import type { Change, ClassifyReply, ClusterState, UndoFacts } from 'protocol'
import type { Redactor, World } from '../../gate/index.ts'
import { failedWords } from '../../tools/changes/undo.ts'
import type { Preview, Undo } from '../../tools/tool.ts'
import type { Ready } from '../judgement.ts'

/**
 * A change as it is stored. `makes`: the vmid of the guest that it creates. `endedAt`: Unix ms. `later`: a call that JARVIS makes by itself after
 * the change. `approvedBy`: the person who decided its card.
 */
export type StoredChange = Omit<Change, 'undo'> & {
  undo: Undo
  makes?: number
  approvedBy?: string
  endedAt?: number
  later?: NonNullable<Preview['later']>
}

/** The new state of a change. A field that is `undefined` is removed. */
export type Moved = { [K in keyof StoredChange]?: StoredChange[K] | undefined } & Pick<Change, 'state'>

export interface ChangeStore {
  /** Stores after which time an approved change goes back by itself, counted from its begin; `undefined`: it does not go back. */
  arm(id: string, afterMs: number | undefined): void
  /** Adds a change that begins now. It is armed if its card's approval said so. @returns the time when it goes back, Unix ms */
  begin(change: Omit<StoredChange, 'state'>): number | undefined
  get(id: string): StoredChange | undefined
  /** Lists changes, newest first. @param query.target `vm/101`; absent: all targets */
  list(query: { target?: string; limit: number; before?: number }): StoredChange[]
  /** Lists the changes that go back by themselves or have a later call, the soonest first. */
  due(): StoredChange[]
  /** Returns the newest change that created this guest. */
  makerOf(vmid: number): StoredChange | undefined
  /** Sets the state if the present state is one of `from`. @returns false if it is not */
  move(id: string, from: readonly Change['state'][], to: Moved): boolean
  /**
   * Closes all changes: from then on none can be taken back, and `because` is the reason that people see. @returns the changes that would have gone
   * back by themselves
   * @param tools only changes made by these tools; absent: all
   */
  close(because: string, tools?: readonly string[]): StoredChange[]
  /** Deletes older changes that do not go back by themselves and have no later call. @param before Unix ms */
  prune(before: number): void
  /** Removes the later call, because it was made or cannot be made. */
  endLater(id: string, problem?: string): void
}

/** Returns the undo of a call's change. Undo calls are stored on disk, so a change whose undo would need a secret has none. */
export function undoOf({ tool, input, preview }: Ready, world: World, redactor: Redactor): Undo {
  const undo = preview?.undo ?? tool.undo?.(input as never, world) ?? unsaid(tool.attached?.server)
  const kept = redactor.value(undo)
  return hashOf(kept) === hashOf(undo)
    ? undo
    : { kind: 'none', because: 'What was there before holds a secret, and JARVIS keeps none.' }
}

const unsaid = (server?: string): Undo => ({
  kind: 'none',
  because: server === undefined ? 'Nothing is known that takes it back.' : 'Only the attached server can know.',
})

export function undoFacts(undo: Undo): UndoFacts {
  if (undo.kind === 'none')
    return { kind: 'none', sentence: undo.because, ...(undo.losesNothing && { losesNothing: true }) }
  const { kind, sentence, until, loses } = undo
  return { kind, sentence, until, loses }
}

/** Returns the preview that a card of the call would show; undefined if its tool reads no state before. */
export function previewFacts(ready: Ready, world: World, redactor: Redactor): ClassifyReply['preview'] {
  const { preview } = ready
  if (preview === undefined) return undefined
  const undo = undoOf(ready, world, redactor)
  return redactor.value({
    now: preview.now,
    then: preview.then,
    undo: undoFacts(undo),
    ...(mayGoBack(ready, undo) && { mayGoBack: true as const }),
  })
}

/** Returns a change in the form that clients get. */
export const shownChange = ({ undo, makes, endedAt, later, approvedBy, ...change }: StoredChange): Change => ({
  ...change,
  undo: change.state === 'failed' ? { kind: 'none', sentence: failedWords } : undoFacts(undo),
})

/** Returns true if a change of this kind may go back by itself. Changes of settings may; changes of data may not. */
export const mayGoBack = ({ effects, preview }: Pick<Ready, 'effects' | 'preview'>, undo: Undo): boolean =>
  undo.kind === 'call' &&
  preview?.mayGoBack !== false &&
  effects.every(({ kind, on }) => kind === 'config' || (kind === 'power' && on === 'service'))

/** Time for which a guest counts as newly made by JARVIS, ms. Later, people may have put their data there. */
const isNewForMs = 24 * 60 * 60_000
/** Tolerance, ms: Proxmox's tasks end in whole seconds, and the answer comes a little later. */
const slackMs = 60_000

/**
 * Returns the change that created a guest within the last day; undefined if there is none, or if another guest has taken the vmid since.
 * @param now Unix ms
 */
export function makerOf(
  store: Pick<ChangeStore, 'makerOf'>,
  { guests, clockOffMs = 0 }: Pick<ClusterState, 'guests' | 'clockOffMs'>,
  { vmid, now }: { vmid: number; now: number },
): { change: string; at: number } | undefined {
  const maker = store.makerOf(vmid)
  const { madeAt, identity } = guests.find((guest) => guest.vmid === vmid) ?? {}
  if (maker === undefined || maker.state === 'failed' || maker.state === 'undone') return undefined
  const { id: change, at, endedAt = at } = maker
  if (now - endedAt > isNewForMs) return undefined
  // The guest with this vmid must be proven to be the one that the change created.
  if (whoseIs(identity, { at: endedAt + slackMs }) !== 'own') return undefined
  // Convert `madeAt`, so that both times are by JARVIS's clock.
  const madeHere = madeAt === undefined ? undefined : madeAt - clockOffMs
  const isOurs = madeHere === undefined || (madeHere >= at - slackMs && madeHere <= endedAt + slackMs)
  return isOurs ? { change, at } : undefined
}
