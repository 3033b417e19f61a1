import { type GuestMarks, type Remade, sameGuest } from 'homelab-ports/guest-identity'
import type { ClusterState, Guest, GuestIdentity } from 'protocol'
import { newId } from '../lib/ids.ts'

/** One guest that has, or had, a number. `names`: all that it was seen with. `seenAt`: when it was last known to be there, Unix ms. */
export type Generation = {
  vmid: number
  name: string
  names: readonly string[]
  marks: GuestMarks
  seenAt: number
  identity: GuestIdentity
}

export interface GenerationStore {
  /** Forgets the guests of another cluster. @param addresses the cluster is the same if one was there at the last start */
  keepOf(addresses: readonly string[]): void
  /** The newest of each number. */
  newest(): Generation[]
  /** Adds one, or writes it again. */
  save(generations: readonly Generation[]): void
}

/** When a guest was last seen is written this seldom, ms. */
const rewriteMs = 10 * 60_000
/** Names of a guest that are kept, the newest. */
const mostNames = 20
/** The nodes' clocks, and ours, differ a little. */
const slackMs = 60_000

export type Identities = ReturnType<typeof createIdentities>

/** Follows which guest has each number, over restarts. Whoever reads `of` sees the state it was last given. */
export function createIdentities(parts: {
  store: GenerationStore
  /** As `Cluster.marks`. */
  marks(vmid: number): GuestMarks | undefined
  report(error: unknown): void
}) {
  const known = new Map(parts.store.newest().map((one) => [one.vmid, one]))
  /** The marks that each was last judged by: the same object tells nothing new. */
  const judged = new Map<number, GuestMarks>()
  let writtenAt = Number.NEGATIVE_INFINITY
  let lookedAt: ClusterState | undefined

  function judge(guest: Guest, marks: GuestMarks, at: number): Generation {
    const last = known.get(guest.vmid)
    const isRead = judged.get(guest.vmid) !== marks
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

  function look(state: ClusterState) {
    if (state === lookedAt) return
    lookedAt = state
    const { guests, at, unread = [], unreachableSince } = state
    if (unreachableSince !== undefined || unread.includes('guests')) return
    const changed: Generation[] = []
    const here = new Set(guests.map(({ vmid }) => vmid))
    for (const vmid of judged.keys()) if (!here.has(vmid)) judged.delete(vmid)
    for (const guest of guests) {
      const { vmid, name, status } = guest
      const marks = parts.marks(vmid)
      const last = known.get(vmid)
      if (marks === undefined) continue
      if (last === undefined || judged.get(vmid) !== marks || last.name !== name) {
        const next = judge(guest, marks, at)
        known.set(vmid, next)
        judged.set(vmid, marks)
        changed.push(next)
      } else if (status === 'running') {
        // A stopped guest may be destroyed and made anew between two looks, so only a running one counts as seen.
        last.seenAt = at
      }
    }
    if (at - writtenAt >= rewriteMs) {
      writtenAt = at
      save([...known.values()])
    } else if (changed.length > 0) save(changed)
  }

  /** Stores generations. If that fails, they are known until a restart, which then finds the previous generation of the guest. */
  function save(generations: readonly Generation[]) {
    try {
      parts.store.save(generations)
    } catch (error) {
      parts.report(error)
    }
  }

  return {
    /** Takes a state in. */
    look,
    /** The identity of the guest that has the number; undefined if it is not known. */
    of: (vmid: number): GuestIdentity | undefined =>
      parts.marks(vmid) === undefined ? undefined : known.get(vmid)?.identity,
    /** Every name that the guest was seen with. */
    namesOf: (vmid: number): readonly string[] => known.get(vmid)?.names ?? [],
    /** Writes down when each guest was last seen. */
    stop: () => save([...known.values()]),
  }
}

/**
 * From when on the number is proven to be a new guest's, and until when it was not. A number that no list had proves nothing: the guest may have been
 * hidden from the token. @param seen `at`: now; `gone`: until when another guest had it; Unix ms
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
  // A restored copy keeps the time at which its original was made.
  const before = [...made, ...timeOfTask('destroyed')]
  return { since, ...(before.length > 0 && { notBefore: Math.max(...before) }) }
}
