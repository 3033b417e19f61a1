import { addBackup, backupNamed } from '../archives.ts'
import type { Model } from '../model.ts'
import { misfit, Refusal } from '../refusal.ts'
import { anything, flag, need, type Route, vmidShape, whole, wordShape } from '../route.ts'
import { linesOf } from './files.ts'
import { storageAt } from './volumes.ts'
import { work } from './work.ts'

/** Duration of a backup, ms for each GiB of the guest's disks. */
const tookMsPerGib = 300
const gib = 1024 ** 3

/** Returns the vmid in a backup's name. */
export const vmidOf = (volid: string) => /(?:vzdump-(?:qemu|lxc)-|\/(?:vm|ct)\/)(\d+)/.exec(volid)?.[1] ?? '0'
export const readsBackup = (volid: string, storage = volid.split(':')[0]) => [
  need(`/storage/${storage}`, 'Datastore.AllocateSpace', 'Datastore.Allocate'),
  need(`/vms/${vmidOf(volid)}`, 'VM.Backup'),
]

export const backupRoutes: readonly Route[] = [
  {
    method: 'POST',
    pattern: /^\/nodes\/(?<node>[^/]+)\/vzdump$/,
    allowed: {
      vmid: vmidShape,
      storage: wordShape,
      mode: /^(snapshot|suspend|stop)$/,
      remove: flag,
      protected: flag,
      compress: /^(0|1|gzip|lzo|zstd)$/,
      bwlimit: whole,
      ionice: /^[0-8]$/,
      zstd: whole,
      lockwait: whole,

      'notes-template': anything,
      'prune-backups': anything,
      fleecing: anything,
      mailnotification: /^(always|failure)$/,
    },
    required: ['vmid'],
    needs: (_, { vmid, storage = 'local' }) => [
      need(`/vms/${vmid}`, 'VM.Backup'),
      need(`/storage/${storage}`, 'Datastore.AllocateSpace'),
    ],
    run: (model, { node = '' }, values) => backUp(model, node, values),
  },
  {
    method: 'GET',
    pattern: /^\/nodes\/(?<node>[^/]+)\/vzdump\/extractconfig$/,
    allowed: { volume: anything },
    required: ['volume'],
    needs: (_, { volume = '' }) => readsBackup(volume),
    run: (model, { node = '' }, { volume = '' }) => linesOf(backupNamed(model, node, volume).config),
  },
]

function backUp(model: Model, node: string, values: Record<string, string>): string {
  const { storage: name = 'local', remove, protected: isProtected, 'notes-template': notes = '' } = values
  const vmid = Number(values.vmid)
  const guest = model.host.guest(vmid)
  if (guest === undefined) throw misfit({ vmid: `unable to find VM '${vmid}'` })
  if (guest.node !== node) throw misfit({ vmid: `guest is on node '${guest.node}'` })
  const storage = storageAt(model, name, node)
  if (!storage.content.includes('backup')) {
    throw new Refusal(500, `can't use storage '${name}' for backups - wrong content type`)
  }
  return work(model, {
    isJob: true,
    node,
    type: 'vzdump',
    vmid,
    lock: 'backup',
    ms: 2_000 + (guest.diskBytes / gib) * tookMsPerGib,
    finish(say) {
      const now = model.host.guest(vmid) ?? guest
      const { usedBytes, totalBytes } = storageAt(model, name, node)
      if (usedBytes + now.diskBytes * 0.2 > totalBytes) throw new Refusal(500, 'No space left on device')
      const wanted = { storage, isPruning: remove !== '0', isProtected: isProtected === '1', notes }
      say(`INFO: creating archive '${addBackup(model, now, wanted)}'`)
    },
  })
}
