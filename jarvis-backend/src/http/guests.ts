import type { Homelab } from 'homelab-ports/ports'
import {
  asFarAsSeen,
  type Backup,
  type ClusterState,
  GuestReply,
  JarvisError,
  type RestoreProof,
  SnapshotConfigReply,
} from 'protocol'
import { readConfig } from '../homelab/operations/guest-config.ts'
import { whyUnread } from '../homelab/operations/read-each.ts'
import { readSnapshotConfig, readSnapshots } from '../homelab/operations/snapshots.ts'
import type { Place } from '../homelab/pve/guest.ts'
import { endOf } from './handle.ts'
import { type Route, route } from './route.ts'

const readMs = 10_000
const mostBackups = 500

/** The dependents of a guest, as far as the gate knows them. */
export type Leaning = Pick<GuestReply, 'leansOn' | 'groups' | 'isOwn'>

/**
 * `/api/guests/:vmid`: details of one guest other than its live state. If one part cannot be read, the others are still returned.
 * @param parts.proofOf returns the newest restore proof; undefined: there is none. Absent if there are no restore drills
 */
export function guestRoutes(parts: {
  homelab: Pick<Homelab, 'api' | 'cluster'>
  leaningOn(vmid: number): Leaning
  proofOf?: (vmid: number) => RestoreProof | undefined
}): Route[] {
  const { api, cluster } = parts.homelab
  return [
    route('/guests/:vmid').get(
      'A guest’s configuration, snapshots, backups and the rest beside its live state. A part that could not be read is null, and `missing` says why.',
      { role: 'viewer', token: 'read', reply: GuestReply },
      ({ params, response }) => detailOf(params.vmid, endOf(response)),
    ),
    route('/guests/:vmid/snapshots/:name').get(
      'The configuration that a snapshot would bring back, without secrets.',
      { role: 'viewer', token: 'read', reply: SnapshotConfigReply },
      async ({ params: { vmid, name }, response }) => {
        const place = placeOf(cluster.state(), vmid)
        const signal = AbortSignal.any([endOf(response), AbortSignal.timeout(readMs)])
        const { items } = await readSnapshots(api, place, { signal })
        if (!items.some((known) => known.name === name))
          throw new JarvisError('not_found', `${place.vmid} has no such snapshot now.`)
        return { name, values: await readSnapshotConfig(api, { place, name }, { signal }) }
      },
    ),
  ]

  async function detailOf(of: string, gone: AbortSignal): Promise<GuestReply> {
    const state = cluster.state()
    const guest = placeOf(state, of)
    const { vmid } = guest
    const isAway = state.nodes.find(({ name }) => name === guest.node)?.status === 'offline'
    const missing: string[] = []
    const signal = AbortSignal.any([gone, AbortSignal.timeout(readMs)])
    const part = async <T>(what: string, needs: string, read: () => Promise<T>): Promise<T | null> => {
      try {
        if (isAway) throw new JarvisError('cluster_unreachable', `${guest.node} is offline`)
        return await read()
      } catch (error) {
        const late = new JarvisError('cluster_unreachable', `${guest.node} did not answer in time`)
        missing.push(`${what} ${whyUnread(signal.aborted ? late : error, needs)}`)
        return null
      }
    }
    const [config, snapshots, backups] = await Promise.all([
      part('its configuration', 'VM.Audit', () => configOf(guest)),
      part('its snapshots', 'VM.Audit', () => snapshotsOf(guest)),
      backupsOf(),
    ])
    const proof = parts.proofOf?.(vmid)
    return {
      vmid,
      config,
      snapshots,
      backups: backups?.reply ?? null,
      otherBackups: backups?.others ?? [],
      missing,
      ...parts.leaningOn(vmid),
      ...(parts.proofOf !== undefined && { proof: proof ?? null }),
    }

    async function configOf(place: Place): Promise<NonNullable<GuestReply['config']>> {
      const { digest, lock, values, pending } = await readConfig(api, place, { signal })
      const waits = Object.fromEntries([...pending].map(([key, value]) => [key, value ?? null]))
      return { digest, values, pending: waits, lock }
    }

    async function snapshotsOf(place: Place): Promise<NonNullable<GuestReply['snapshots']>> {
      const { items, parent } = await readSnapshots(api, place, { signal })
      return {
        items: items.map(({ name, takenAt, hasRam, description }) => ({
          name,
          hasRam,
          description,
          takenAt,
        })),
        parent,
      }
    }

    /** Backups are on storages, and some of these can be read even if the guest's node is offline. */
    async function backupsOf(): Promise<{ reply: NonNullable<GuestReply['backups']>; others: string[] } | null> {
      try {
        const { items, missing: unread, isUnread } = await cluster.backups({ vmid }, { signal })
        missing.push(...unread)
        if (isUnread === true) return null
        const reply = { items: items.slice(0, mostBackups), total: items.length, isPartial: unread.length > 0 }
        return { reply, others: othersIn(items) }
      } catch (error) {
        missing.push(`its backups ${whyUnread(error, 'Datastore.AllocateSpace and VM.Backup')}`)
        return null
      }
    }
  }
}

/** `3 backups, the newest of 2026-11-03, of an earlier guest with the number 105 (web, last seen 2026-11-03)` */
function othersIn(backups: readonly Backup[]): string[] {
  const byReason = new Map<string, Backup[]>()
  for (const backup of backups)
    if (backup.whoseWords !== undefined)
      byReason.set(backup.whoseWords, [...(byReason.get(backup.whoseWords) ?? []), backup])
  return [...byReason].map(([words, items]) => {
    const newest = new Date(Math.max(...items.map(({ createdAt }) => createdAt))).toISOString().slice(0, 10)
    return `${items.length} ${items.length === 1 ? 'backup' : 'backups, the newest'} of ${newest}: ${words}.`
  })
}

/** Returns the guest with its node. @throws JarvisError `not_found` */
function placeOf(state: ClusterState, vmid: string) {
  const guest = state.guests.find((known) => known.vmid === Number(vmid))
  if (guest === undefined)
    throw new JarvisError('not_found', `The cluster has no such guest now${asFarAsSeen('guests', state)}.`)
  return guest
}
