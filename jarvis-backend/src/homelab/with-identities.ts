import { whoseAt } from 'homelab-ports/guest-identity'
import type { Cluster, Homelab } from 'homelab-ports/ports'
import type { SampleStore } from 'homelab-ports/samples'
import { type Backup, type ClusterState, type Guest, JarvisError } from 'protocol'
import type { Identities } from './identities.ts'
import { withOwners } from './pbs/owners.ts'
import { type Around, whoseBackups } from './whose-backup.ts'

/** Adds to a homelab the identity of the guest behind each vmid, and whose each backup is. For a guest only its own backups count. */
export function withIdentities(homelab: Homelab, identities: Identities): Homelab {
  const { cluster, pbs } = homelab
  let last: { from: ClusterState; state: ClusterState } | undefined

  const around = ({ guests, storages }: ClusterState): Around => ({
    guests,
    storages,
    namesOf: (vmid) => identities.namesOf(vmid),
    writerOf: (storage) => cluster.writerOf?.(storage),
  })

  function state(): ClusterState {
    const from = cluster.state()
    if (last?.from === from) return last.state
    identities.look(from)
    const guests = from.guests.map((guest): Guest => {
      const identity = identities.of(guest.vmid)
      return identity === undefined ? guest : { ...guest, identity }
    })
    last = { from, state: { ...from, guests: withBackups({ ...from, guests }) } }
    return last.state
  }

  /** Returns the guests with the time of their newest own backup. */
  function withBackups(seen: ClusterState): Guest[] {
    const known = cluster.knownBackups?.()
    if (known === undefined) return seen.guests
    const { items, isWhole } = known
    const whose = whoseBackups(items, around(seen))
    const byVmid = new Map<number, Backup[]>()
    for (const backup of items) byVmid.set(backup.vmid, [...(byVmid.get(backup.vmid) ?? []), backup])
    return seen.guests.map((guest) => {
      const kept = byVmid.get(guest.vmid)
      if (kept === undefined) return guest
      const { backupAt: _, ...bare } = guest
      const told = kept.map((backup) => ({ at: backup.createdAt, ...whose(backup) })).sort((a, b) => b.at - a.at)
      const newest = told.find((one) => one.whose === 'own' || one.whose === 'unknown')
      if (newest === undefined) return { ...bare, ...(!isWhole && { backupAt: null }), ...doubtOf(told[0]?.whoseWords) }
      return { ...bare, backupAt: newest.at, ...(newest.whose === 'unknown' && doubtOf(newest.whoseWords)) }
    })
  }

  return {
    ...homelab,
    cluster: {
      ...cluster,
      state,
      async power(request, options) {
        const { vmid, expected } = request
        const wanted = expected?.identity
        if (wanted !== undefined) {
          await cluster.readAfresh?.(vmid)
          const found = state().guests.find((guest) => guest.vmid === vmid)
          if (found !== undefined && found.identity?.id !== wanted.id)
            throw new JarvisError(
              'conflict',
              `${vmid} is not provably the guest that was meant any more. Nothing was done.`,
            )
        }
        return cluster.power(request, options)
      },
      async backups(query, options) {
        const found = await cluster.backups(query, options)
        const items =
          pbs === undefined || query.vmid === undefined ? found.items : await withOwners(pbs, found.items, options)
        const whose = whoseBackups([...(cluster.knownBackups?.().items ?? []), ...items], around(state()))
        return { ...found, items: items.map((backup) => ({ ...backup, ...whose(backup) })) }
      },
    },
  }
}

const doubtOf = (words: string | undefined) => (words === undefined ? {} : { backupDoubt: words })

/**
 * Wraps a store so that a guest's samples are only its own. Proxmox reuses vmids, so an earlier guest may have had the same vmid. Samples from the
 * time of an earlier guest, or perhaps of one, are read as undefined.
 */
export function samplesOfGuests(store: SampleStore, of: Identities['of'], look: Cluster['state']): SampleStore {
  return {
    keepOf: (addresses) => store.keepOf(addresses),
    keep: (at, samples) => store.keep(at, samples),
    fill: (past) => store.fill(past),
    *read(names, span) {
      look()
      for (const [name, values] of store.read(names, span)) {
        const vmid = /^guest\/(\d+)$/.exec(name)?.[1]
        const guest = vmid === undefined ? undefined : of(Number(vmid))
        const isOthers = (at: number) => {
          const whose = guest && whoseAt(guest, span.from + at * span.stepMs)
          return whose === 'earlier' || (whose === 'unknown' && guest?.earlier !== undefined)
        }
        yield [name, values.map((value, at) => (isOthers(at) ? value.map(() => undefined) : value))]
      }
    },
  }
}
