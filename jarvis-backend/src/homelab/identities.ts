import { type GuestMarks, type Remade, sameGuest } from 'homelab-ports/guest-identity'
import type { ClusterState, Guest, GuestIdentity } from 'protocol'
import { newId } from '../lib/ids.ts'

/**
 * One guest that has, or had, a vmid. `names`: the newest names that the guest was seen with. `seenAt`: when the guest was last known to exist, Unix
 * ms.
 */
export type Generation = {
  vmid: number
  name: string
  names: readonly string[]
  marks: GuestMarks
  seenAt: number
  identity: GuestIdentity
}

export interface GenerationStore {
  /**
   * Deletes all generations if JARVIS now connects to another cluster. @param addresses the cluster is the same if one of them was configured at the
   * last start
   */
  keepOf(addresses: readonly string[]): void
  /** The newest generation of each vmid. */
  newest(): Generation[]
  /** Adds generations, or overwrites those that are stored already. */
  save(generations: readonly Generation[]): void
}

/** Shortest time between two writes of `seenAt` for all guests, ms. */
const rewriteMs = 10 * 60_000
/** Number of a guest's newest names that are kept. */
const mostNames = 20
/** Allowed difference between the nodes' clocks and JARVIS's clock, ms. */
const slackMs = 60_000

type Parts = {
  store: GenerationStore
  /** Same as `Cluster.marks`. */
  marks(vmid: number): GuestMarks | undefined
  report(error: unknown): void
}

/** Tracks which guest has each vmid, also over restarts of JARVIS. `of` answers by the state that was last passed to `look`. */
export class Identities {
  readonly #parts: Parts
  readonly #known: Map<number, Generation>
  /** The marks by which each guest was last judged, by vmid. A guest with the same object is not judged again. */
  readonly #judged = new Map<number, GuestMarks>()
  #writtenAt = Number.NEGATIVE_INFINITY
  #lookedAt: ClusterState | undefined

  constructor(parts: Parts) {
    this.#parts = parts
    this.#known = new Map(parts.store.newest().map((one) => [one.vmid, one]))
  }

  /** Reads which guests a new state has, and stores the generations that changed. */
  look(state: ClusterState): void {
    if (state === this.#lookedAt) return
    this.#lookedAt = state
    const { guests, at, unread = [], unreachableSince } = state
    if (unreachableSince !== undefined || unread.includes('guests')) return
    const changed: Generation[] = []
    const here = new Set(guests.map(({ vmid }) => vmid))
    for (const vmid of this.#judged.keys()) if (!here.has(vmid)) this.#judged.delete(vmid)
    for (const guest of guests) {
      const { vmid, name, status } = guest
      const marks = this.#parts.marks(vmid)
      const last = this.#known.get(vmid)
      if (marks === undefined) continue
      if (last === undefined || this.#judged.get(vmid) !== marks || last.name !== name) {
        const next = this.#judge(guest, marks, at)
        this.#known.set(vmid, next)
        this.#judged.set(vmid, marks)
        changed.push(next)
      } else if (status === 'running') {
        // A stopped guest may be destroyed and created again between two reads, so only a running guest counts as seen.
        last.seenAt = at
      }
    }
    if (at - this.#writtenAt >= rewriteMs) {
      this.#writtenAt = at
      this.#save([...this.#known.values()])
    } else if (changed.length > 0) this.#save(changed)
  }

  /** The identity of the guest that has this vmid; undefined if the identity is not known. */
  of(vmid: number): GuestIdentity | undefined {
    return this.#parts.marks(vmid) === undefined ? undefined : this.#known.get(vmid)?.identity
  }

  /** The names that the guest with this vmid was seen with. */
  namesOf(vmid: number): readonly string[] {
    return this.#known.get(vmid)?.names ?? []
  }

  /** Stores when each guest was last seen. Call it at the end. */
  stop(): void {
    this.#save([...this.#known.values()])
  }

  #judge(guest: Guest, marks: GuestMarks, at: number): Generation {
    const last = this.#known.get(guest.vmid)
    const isRead = this.#judged.get(guest.vmid) !== marks
    const verdict = last && (isRead ? sameGuest({ ...last.marks, at: last.seenAt }, marks) : 'same')
    const { vmid, name } = guest
    if (last !== undefined && verdict === 'same') {
      const remade = marks.remade ?? last.marks.remade
      const kept = { ...marks, ...(remade !== undefined && { remade }) }
      return { ...last, name, names: [...new Set([...last.names, name])].slice(-mostNames), marks: kept, seenAt: at }
    }
    const earlier = last && { earlier: { name: last.name, until: last.seenAt } }
    const doubt = verdict === 'unknown' ? { isDoubtful: true as const } : {}
    const gone = verdict === 'other' ? last?.seenAt : undefined
    const time = timeOf(marks, { at, gone, isDoubtful: verdict === 'unknown' })
    return {
      vmid,
      name,
      names: [name],
      marks,
      seenAt: at,
      identity: { id: newId('gst'), ...time, ...earlier, ...doubt },
    }
  }

  /** Stores generations. If storing fails, they stay in memory only: after a restart JARVIS finds the guest's previous generation. */
  #save(generations: readonly Generation[]): void {
    try {
      this.#parts.store.save(generations)
    } catch (error) {
      this.#parts.report(error)
    }
  }
}

/**
 * `since`: the time from which the vmid is proven to be this guest's. `notBefore`: the time before which this guest is proven not to have had the
 * vmid. The absence of a vmid from earlier lists proves nothing, because the guest may have been hidden from the token.
 * @param seen `at`: now; `gone`: when another guest was last seen with the vmid; `isDoubtful`: it is not known if the guest is a new one; times in
 * Unix ms
 */
function timeOf(
  { ctime, remade }: GuestMarks,
  { at, gone, isDoubtful }: { at: number; gone: number | undefined; isDoubtful: boolean },
): Pick<GuestIdentity, 'since' | 'notBefore'> {
  if (isDoubtful) return { since: at }
  const timeOfTask = (what: Remade['what']) => (remade?.what === what ? [remade.at] : [])
  const made = [...(ctime === undefined ? [] : [ctime]), ...timeOfTask('created')]
  const isTrue = (time: number) => time <= at && time >= (gone ?? 0) - slackMs
  const taken = [...made, ...timeOfTask('restored')].filter(isTrue)
  const since = taken.length === 0 || remade?.what === 'destroyed' ? at : Math.max(...taken)
  if (gone !== undefined) return { since, notBefore: since === at ? gone : since }
  // A restored copy keeps the creation time of its original, so this time is only a lower bound.
  const before = [...made, ...timeOfTask('destroyed')]
  return { since, ...(before.length > 0 && { notBefore: Math.max(...before) }) }
}
