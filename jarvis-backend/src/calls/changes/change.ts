import { hashOf } from 'node-kit/canonical'
import type { Change, ClassifyReply, ClusterState, UndoFacts } from 'protocol'
import type { Redactor, World } from '../../gate/index.ts'
import { whoseIs } from '../../homelab/guest-identity.ts'
import { failedWords } from '../../tools/changes/undo.ts'
import type { Preview, Undo } from '../../tools/tool.ts'
import type { Ready } from '../call.ts'

/**
 * `makes`: the guest that it creates. `endedAt`: Unix ms. `later`: what JARVIS
 * does by itself after it. `approvedBy`: who decided its card.
 */
export type StoredChange = Omit<Change, 'undo'> & {
  undo: Undo
  makes?: number
  approvedBy?: string
  endedAt?: number
  later?: NonNullable<Preview['later']>
}

/** `undefined`: no longer so. */
type Moved = { [K in keyof StoredChange]?: StoredChange[K] | undefined } & Pick<Change, 'state'>

export interface ChangeStore {
  /** The approved card lets the change go back by itself so long after it began; `undefined`: it does not. */
  arm(id: string, afterMs: number | undefined): void
  /** Adds a change that begins now, armed where its card said so. @returns when it goes back, Unix ms */
  begin(change: Omit<StoredChange, 'state'>): number | undefined
  get(id: string): StoredChange | undefined
  /** Newest first. @param query.target `vm/101`; absent: all */
  list(query: { target?: string; limit: number; before?: number }): StoredChange[]
  /** Those that go back by themselves, or have something to be done later; soonest first. */
  due(): StoredChange[]
  /** The newest change that made this guest. */
  makerOf(vmid: number): StoredChange | undefined
  /** Sets the state if it is one of `from`. @returns false where it is another */
  move(id: string, from: readonly Change['state'][], to: Moved): boolean
  /**
   * Nothing that was changed before can be taken back, for this reason. @returns the changes that would have gone back
   * @param tools only what these changed; absent: all
   */
  close(because: string, tools?: readonly string[]): StoredChange[]
  /** Forgets older changes of which nothing is due. @param before Unix ms */
  prune(before: number): void
  /** What was to be done later is done, or cannot be. */
  endLater(id: string, problem?: string): void
}

/** What takes a call's change back. It is kept on disk, so one that needs a secret is none. */
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

/** What a card of the call would say, where its tool reads something before; undefined where it reads nothing. */
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

/** Whether a change of this kind may go back by itself: settings may, and nothing that holds data. */
export const mayGoBack = ({ effects, preview }: Pick<Ready, 'effects' | 'preview'>, undo: Undo): boolean =>
  undo.kind === 'call' &&
  preview?.mayGoBack !== false &&
  effects.every(({ kind, on }) => kind === 'config' || (kind === 'power' && on === 'service'))

/** Afterwards a guest that JARVIS made is one like any other: people may have put their data there. */
const isNewForMs = 24 * 60 * 60_000
/** Proxmox's tasks end in whole seconds, and the answer comes a little later. */
const slackMs = 60_000

/**
 * The change that made a guest within the last day; undefined where none did, or another guest has taken its number since.
 * @param now Unix ms
 */
export function makerOf(
  store: Pick<ChangeStore, 'makerOf'>,
  { guests, clockOffMs = 0 }: Pick<ClusterState, 'guests' | 'clockOffMs'>,
  vmid: number,
  now: number,
) {
  const maker = store.makerOf(vmid)
  const { madeAt, identity } = guests.find((guest) => guest.vmid === vmid) ?? {}
  if (maker === undefined || maker.state === 'failed' || maker.state === 'undone') return undefined
  const { id: change, at, endedAt = at } = maker
  if (now - endedAt > isNewForMs) return undefined
  // What it made is the guest that is there now, beyond doubt.
  if (whoseIs(identity, { at: endedAt + slackMs }) !== 'own') return undefined
  // By JARVIS's clock, as the change.
  const madeHere = madeAt === undefined ? undefined : madeAt - clockOffMs
  const isOurs = madeHere === undefined || (madeHere >= at - slackMs && madeHere <= endedAt + slackMs)
  return isOurs ? { change, at } : undefined
}
