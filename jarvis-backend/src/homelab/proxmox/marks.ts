import { isBeingMade, marksIn, remadeIn } from 'homelab-ports/guest-identity'
import type { ClusterState } from 'protocol'
import type { Clock } from '../../lib/clock.ts'
import { GuestConfig } from '../pve/answers.ts'
import { guestPath, type Place } from '../pve/guest.ts'
import { eachOf } from './each.ts'
import type { Known } from './known.ts'
import type { Api } from './transport.ts'

/** Maximum number of requests at once. */
const mostAtOnce = 4
const answerMs = 6_000
/** Pause before a guest whose configuration could not be read is asked again, ms. */
const againMs = 60_000

export type Marks = {
  /** Reads a guest's marks now. @throws ApiError; the guest's known marks are then deleted */
  read(place: Place, signal: AbortSignal): Promise<void>
  /** Call it after each read of the cluster: reads the marks that are due. Never rejects. */
  follow(state: ClusterState, signal: AbortSignal): Promise<void>
}

/**
 * Reads the marks that tell a guest from another one with the same vmid. Reads each configuration once, and again if the vmid may have passed to
 * another guest.
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
        // A guest that cannot be read now is read in a later turn.
        if (!signal.aborted) await read(guest, signal).catch(() => {})
      })
      isBusy = false
      if (!signal.aborted) parts.changed()
    },
  }
}
