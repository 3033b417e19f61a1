import type { HostGuest } from '../host.ts'
import { guestIn, type Model } from '../model.ts'
import { Refusal } from '../refusal.ts'
import { flag, need, onGuest, type Route, type Values } from '../route.ts'
import { fullConfig } from './files.ts'
import { freeMemory } from './snapshots.ts'
import { disksIn, freeVolumes } from './volumes.ts'
import { mustBeFree, wordOf, work } from './work.ts'

const tookMs = 2_000

export const destroyRoutes: readonly Route[] = (['qemu', 'lxc'] as const).map((type) => ({
  method: 'DELETE' as const,
  pattern: onGuest('$', type),
  allowed: {
    purge: flag,
    'destroy-unreferenced-disks': flag,
    ...(type === 'lxc' ? { force: flag } : { skiplock: flag }),
  },
  needs: ({ vmid }) => [need(`/vms/${vmid}`, 'VM.Allocate')],
  run(model, parts, values) {
    const guest = guestIn(model, parts)
    mustBeDestroyable(model, guest, values)
    return work(model, {
      node: guest.node,
      type: type === 'qemu' ? 'qmdestroy' : 'vzdestroy',
      vmid: guest.vmid,
      ms: tookMs,
      before() {
        mustBeDestroyable(model, guestIn(model, parts), values)
        freeAll(model, guest)
      },
      finish: () => forget(model, guest),
    })
  },
}))

function mustBeDestroyable(model: Model, guest: HostGuest, { purge, force }: Values) {
  const { vmid } = guest
  const word = wordOf(guest)
  mustBeFree(guest)
  if (model.files.of(guest).config.protection === '1') {
    throw new Refusal(500, `can't remove ${word} ${vmid} - protection mode enabled`)
  }
  if (guest.isHa && purge !== '1') {
    throw new Refusal(500, `unable to remove ${word} ${vmid} - used in HA resources and purge parameter not set.`)
  }
  if (guest.status === 'stopped' || force === '1') return
  throw new Refusal(
    500,
    guest.type === 'qemu'
      ? `VM ${vmid} is running - destroy failed`
      : `unable to destroy CT ${vmid} - container is running`,
  )
}

/** Removes the guest and its volumes, and frees its number. */
export function destroy(model: Model, guest: HostGuest) {
  freeAll(model, guest)
  forget(model, guest)
}

function freeAll(model: Model, guest: HostGuest) {
  const file = model.files.of(guest)
  const disks = disksIn(guest.type, fullConfig(guest, file), true).filter(
    ({ volid }) => model.sizes.get(volid) !== null,
  )
  freeVolumes(model, guest.node, disks)
  for (const snapshot of file.snapshots) freeMemory(model, guest, snapshot)
  for (const { volid } of disks) model.sizes.set(volid, null)
}

function forget(model: Model, guest: HostGuest) {
  for (const { volid } of disksIn(guest.type, fullConfig(guest, model.files.of(guest)), true)) model.sizes.delete(volid)
  model.files.remove(guest.vmid)
  for (const { vmids } of model.pools.values()) vmids.delete(guest.vmid)
  model.host.removeGuest(guest.vmid)
}
