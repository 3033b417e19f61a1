import { isBeingMade, marksIn, remadeIn } from 'homelab-ports/guest-identity'
import type { ClusterState } from 'protocol'
import type { Clock } from '../../lib/clock.ts'
import { GuestConfig } from '../pve/answers.ts'
import { guestPath, type Place } from '../pve/guest.ts'
import { eachOf } from './each.ts'
import type { Known } from './known.ts'
import type { Api } from './transport.ts'

/** Most requests at once. */
const mostAtOnce = 4
const answerMs = 6_000
/** A guest whose configuration could not be read is asked again this seldom, ms. */
const againMs = 60_000

export type Marks = {
  /** Reads a guest's marks now. @throws ApiError; what marked the guest is then forgotten */
  read(place: Place, signal: AbortSignal): Promise<void>
  /** Reads those that are due, after a read of the cluster. Never rejects. */
  follow(state: ClusterState, signal: AbortSignal): Promise<void>
}

/**
 * Reads what tells guests from others with their numbers: each configuration once, and again where the number may have gone to another guest.
 * @param parts.changed called after marks were read
 */
export function createMarks(parts: { api: Api; clock: Clock; known: Known; changed(): void }): Marks {
  const { api, clock, known } = parts
  const triedAt = new Map<number, number>()
  let isBusy = false

  async function read(place: Place, signal: AbortSignal): Promise<void> {
    const { vmid, type } = place
    triedAt.set(vmid, clock.now())
    const tasks = known.reading?.tasks ?? []
    try {
      const config = GuestConfig.parse(await api.get([...guestPath(place), 'config'], {}, { signal, answerMs }))
      if (isBeingMade(config.lock)) {
        known.marks.delete(vmid)
        triedAt.delete(vmid)
        return
      }
      const remade = remadeIn(vmid, tasks) ?? known.marks.get(vmid)?.remade
      known.marks.set(vmid, { ...marksIn(type, config), ...(remade !== undefined && { remade }) })
      known.mayBeOthers.delete(vmid)
      triedAt.delete(vmid)
    } catch (error) {
      if (!signal.aborted) known.marks.delete(vmid)
      throw error
    }
  }

  return {
    read,
    async follow({ guests, nodes }: ClusterState, signal: AbortSignal): Promise<void> {
      if (isBusy || signal.aborted) return
      const online = new Set(nodes.flatMap(({ name, status }) => (status === 'online' ? [name] : [])))
      const due = guests.filter(
        ({ vmid, node }) =>
          online.has(node) &&
          (!known.marks.has(vmid) || known.mayBeOthers.has(vmid)) &&
          clock.now() - (triedAt.get(vmid) ?? Number.NEGATIVE_INFINITY) >= againMs,
      )
      if (due.length === 0) return
      isBusy = true
      await eachOf(due, mostAtOnce, async (guest) => {
        // One that cannot be read is read in a later turn.
        if (!signal.aborted) await read(guest, signal).catch(() => {})
      })
      isBusy = false
      if (!signal.aborted) parts.changed()
    },
  }
}
