import { whoseIs } from 'homelab-ports/guest-identity'
import { hashOf } from 'node-kit/canonical'
import type { Change, ClassifyReply, ClusterState, UndoFacts } from 'protocol'
import type { Redactor, World } from '../../gate/index.ts'
import { failedWords } from '../../tools/changes/undo.ts'
import type { Preview, Undo } from '../../tools/tool.ts'
import type { Ready } from '../judgement.ts'

/**
 * A change as it is stored. `makes`: the guest that it creates. `endedAt`: Unix ms. `later`: a call that JARVIS makes by itself after it.
 * `approvedBy`: the person who decided its card.
 */
export type StoredChange = Omit<Change, 'undo'> & {
  undo: Undo
  makes?: number
  approvedBy?: string
  endedAt?: number
  later?: NonNullable<Preview['later']>
}

/** The new state of a change. A field that is `undefined` is removed. */
type Moved = { [K in keyof StoredChange]?: StoredChange[K] | undefined } & Pick<Change, 'state'>

export interface ChangeStore {
  /** Stores the time after its begin when the approved change goes back by itself; `undefined`: it does not go back. */
  arm(id: string, afterMs: number | undefined): void
  /** Adds a change that begins now, armed if its card said so. @returns the time when it goes back, Unix ms */
  begin(change: Omit<StoredChange, 'state'>): number | undefined
  get(id: string): StoredChange | undefined
  /** Newest first. @param query.target `vm/101`; absent: all */
  list(query: { target?: string; limit: number; before?: number }): StoredChange[]
  /** Lists the changes that go back by themselves, or have a later call; soonest first. */
  due(): StoredChange[]
  /** Returns the newest change that made this guest. */
  makerOf(vmid: number): StoredChange | undefined
  /** Sets the state if it is one of `from`. @returns false if it is another state */
  move(id: string, from: readonly Change['state'][], to: Moved): boolean
  /**
   * Closes all changes: none can be taken back any more, for this reason. @returns the changes that would have gone back
   * @param tools only changes by these tools; absent: all
   */
  close(because: string, tools?: readonly string[]): StoredChange[]
  /** Forgets older changes that do not go back by themselves and have no later call. @param before Unix ms */
  prune(before: number): void
  /** Removes the later call, because it was made or cannot be made. */
  endLater(id: string, problem?: string): void
}

/** The undo of a call's change. Undo calls are stored on disk, so a change whose undo would need a secret has none. */
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
  if (undo.kind === 'none') return { kind: 'none', sentence: undo.because }
  const { kind, sentence, until, loses } = undo
  return { kind, sentence, until, loses }
}

/** The preview that a card of the call would show; undefined if its tool reads nothing before. */
export function previewFacts(ready: Ready, world: World, redactor: Redactor): ClassifyReply['preview'] {
  const { preview } = ready
  if (preview === undefined) return undefined
  const undo = undoOf(ready, world, redactor)
  return redactor.value({
    ...(preview.now !== undefined && { now: preview.now }),
    ...(preview.then !== undefined && { then: preview.then }),
    undo: undoFacts(undo),
    ...(mayGoBack(ready, undo) && { mayGoBack: true as const }),
  })
}

/** A change as clients have it. */
export const shownChange = ({ undo, makes, endedAt, later, approvedBy, ...change }: StoredChange): Change => ({
  ...change,
  undo: change.state === 'failed' ? { kind: 'none', sentence: failedWords } : undoFacts(undo),
})

/** Returns whether a change of this kind may go back by itself. Settings may; a change of data may not. */
export const mayGoBack = ({ effects, preview }: Pick<Ready, 'effects' | 'preview'>, undo: Undo): boolean =>
  undo.kind === 'call' &&
  preview?.mayGoBack !== false &&
  effects.every(({ kind, on }) => kind === 'config' || (kind === 'power' && on === 'service'))

/** The time for which a guest counts as made by JARVIS. Later, people may have put their data there. */
const isNewForMs = 24 * 60 * 60_000
/** Proxmox's tasks end in whole seconds, and the answer comes a little later. */
const slackMs = 60_000

/**
 * The change that made a guest within the last day; undefined if there is none, or if another guest has taken its number since.
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
  // The guest that is there now must be the one that the change made, beyond doubt.
  if (whoseIs(identity, { at: endedAt + slackMs }) !== 'own') return undefined
  // Both times by JARVIS's clock.
  const madeHere = madeAt === undefined ? undefined : madeAt - clockOffMs
  const isOurs = madeHere === undefined || (madeHere >= at - slackMs && madeHere <= endedAt + slackMs)
  return isOurs ? { change, at } : undefined
}
