import { newId } from '../lib/ids.ts'
import type { ClusterState, Guest, GuestIdentity } from '../protocol/index.ts'
import { type GuestMarks, sameGuest } from './guest-identity.ts'

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
/** The nodes' clocks, and ours, differ a little. */
const slackMs = 60_000

export type Identities = ReturnType<typeof createIdentities>

/** Follows which guest has each number, over restarts. Whoever reads `of` sees the state it was last given. */
export function createIdentities(parts: {
  store: GenerationStore
  /** As `Cluster.marks`. */
  marks(vmid: number): GuestMarks | undefined
}) {
  const known = new Map(parts.store.newest().map((one) => [one.vmid, one]))
  /** The marks that each was last judged by: the same object tells nothing new. */
  const judged = new Map<number, GuestMarks>()
  /** When each number that was seen free since the start last was so, Unix ms. */
  const freeAt = new Map<number, number>()
  let before: { vmids: ReadonlySet<number>; at: number } | undefined
  let writtenAt = Number.NEGATIVE_INFINITY
  let lookedAt: ClusterState | undefined

  function judge(guest: Guest, marks: GuestMarks, at: number): Generation {
    const last = known.get(guest.vmid)
    const verdict = last && sameGuest({ ...last.marks, at: last.seenAt }, marks)
    const { vmid, name } = guest
    if (last !== undefined && verdict === 'same') {
      const remade = marks.remade ?? last.marks.remade
      const kept = { ...marks, ...(remade !== undefined && { remade }) }
      return { ...last, name, names: [...new Set([...last.names, name])], marks: kept, seenAt: at }
    }
    const earlier = last && { earlier: { name: last.name, until: last.seenAt } }
    const doubt = verdict === 'unknown' ? { isDoubtful: true as const } : {}
    const gone = verdict === 'other' ? last?.seenAt : undefined
    const time = timeOf(marks, { at, gone, free: freeAt.get(vmid), isDoubtful: verdict === 'unknown' })
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
      if (before !== undefined && !before.vmids.has(vmid)) freeAt.set(vmid, before.at)
      if (marks === undefined) continue
      if (last === undefined || judged.get(vmid) !== marks || last.name !== name) {
        const next = judge(guest, marks, at)
        known.set(vmid, next)
        judged.set(vmid, marks)
        changed.push(next)
      } else if (status === 'running') {
        // What is stopped may be destroyed and made anew between two looks.
        last.seenAt = at
      }
    }
    before = { vmids: here, at }
    if (at - writtenAt >= rewriteMs) {
      writtenAt = at
      parts.store.save([...known.values()])
    } else if (changed.length > 0) parts.store.save(changed)
  }

  return {
    /** Takes a state in. */
    look,
    /** Which guest has the number; undefined where that is not known. */
    of: (vmid: number): GuestIdentity | undefined =>
      parts.marks(vmid) === undefined ? undefined : known.get(vmid)?.identity,
    /** Every name that the guest was seen with. */
    namesOf: (vmid: number): readonly string[] => known.get(vmid)?.names ?? [],
    marksOf: (vmid: number): GuestMarks | undefined => parts.marks(vmid),
    /** Writes down when each guest was last seen. */
    stop: () => parts.store.save([...known.values()]),
  }
}

/**
 * From when on the number is proven to be a new guest's, and until when it was not. @param seen `at`: now; `gone`: another guest had it then; `free`:
 * nobody had it then; Unix ms
 */
function timeOf(
  { ctime, remade }: GuestMarks,
  seen: { at: number; gone: number | undefined; free: number | undefined; isDoubtful: boolean },
): Pick<GuestIdentity, 'since' | 'notBefore'> {
  const { at, gone, free, isDoubtful } = seen
  if (isDoubtful) return { since: at }
  const created = remade?.what === 'created' ? remade.at : undefined
  const restored = remade?.what === 'restored' ? remade.at : undefined
  const destroyed = remade?.what === 'destroyed' ? remade.at : undefined
  const lower = Math.max(gone ?? Number.NEGATIVE_INFINITY, free ?? Number.NEGATIVE_INFINITY)
  const certain = [ctime, created, restored].filter(
    (time) => time !== undefined && time <= at && time >= lower - slackMs,
  )
  const latest = certain.length === 0 ? undefined : Math.max(...(certain as number[]))
  if (lower !== Number.NEGATIVE_INFINITY)
    return latest === undefined ? { since: at, notBefore: lower } : { since: latest, notBefore: latest }
  // The first look ever: a restored copy keeps the time at which its original was made.
  const first = [ctime, created, destroyed].filter((time) => time !== undefined)
  return {
    since: destroyed === undefined ? (latest ?? at) : at,
    ...(first.length > 0 && { notBefore: Math.max(...first) }),
  }
}
