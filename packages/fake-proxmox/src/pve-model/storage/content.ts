import { pbsWriter } from '../../pbs-model.ts'
import { backupNamed, removeBackup } from '../archives.ts'
import { readsBackup } from '../guests/backup.ts'
import { fullConfig } from '../guests/files.ts'
import { disksIn, storageAt } from '../guests/volumes.ts'
import type { Model } from '../model.ts'
import { misfit, Refusal } from '../refusal.ts'
import { anything, flag, need, type Parts, type Route, type View, whole, wordShape } from '../route.ts'

const onStorage = (rest: string) => new RegExp(`^/nodes/(?<node>[^/]+)/storage/(?<storage>[^/]+)${rest}$`)
const volume = '/content/(?<volume>.+)'
const deletedInMs = 1_000
const sees = (storage = '') => need(`/storage/${storage}`, 'Datastore.Audit', 'Datastore.AllocateSpace')
const full = ({ storage = '', volume: volid = '' }: Parts) =>
  volid.startsWith(`${storage}:`) ? volid : `${storage}:${volid}`
const isBackup = (volid: string) => volid.includes(':backup/')

export const contentRoutes: readonly Route[] = [
  {
    method: 'GET',
    pattern: /^\/storage$/,
    allowed: { type: wordShape },
    needs: () => [],
    run: ({ host, may }, _parts, { type: wanted }) =>
      host
        .storages()
        .filter(({ name, type }) => (wanted ?? type) === type && may(sees(name)))
        .map(({ name, type, isShared, content, nodes }) => {
          const server = host.facts.servers.get(name)
          const place = {
            ...(nodes && { nodes: nodes.join(',') }),
            server,
            ...(type === 'pbs' && { username: pbsWriter }),
          }
          return { storage: name, type, content: content.join(','), shared: isShared ? 1 : 0, ...place }
        }),
  },
  {
    method: 'GET',
    pattern: /^\/nodes\/(?<node>[^/]+)\/storage$/,
    allowed: { content: /^[a-z,]+$/, storage: wordShape, enabled: flag, format: flag, target: wordShape },
    needs: () => [],
    run: ({ host, may }, { node = '' }, { content, storage }) =>
      host
        .storages()
        .filter(({ name, nodes, content: kinds }) => {
          const isAsked =
            (storage ?? name) === name &&
            (content === undefined || content.split(',').some((kind) => kinds.includes(kind)))
          return isAsked && (nodes?.includes(node) ?? true) && may(sees(name))
        })
        .map(({ name, type, isShared, content: kinds, usedBytes, totalBytes }) => {
          const row = { storage: name, type, content: kinds.join(','), shared: isShared ? 1 : 0, enabled: 1 }
          if (!host.isActive(name, node)) return { ...row, active: 0, total: 0, used: 0, avail: 0 }
          const size = { total: totalBytes, used: usedBytes, avail: Math.max(0, totalBytes - usedBytes) }
          return { ...row, ...size, active: 1, used_fraction: usedBytes / totalBytes }
        }),
  },
  {
    method: 'GET',
    pattern: onStorage('/status'),
    allowed: {},
    needs: ({ storage }) => [sees(storage)],
    run({ host }, { node = '', storage = '' }) {
      const found = host.storages().find(({ name, nodes }) => name === storage && (nodes?.includes(node) ?? true))
      if (found === undefined) throw misfit({ storage: 'No such storage.' })
      const { type, content, isShared, usedBytes: used, totalBytes: total } = found
      const size = { total, used, avail: Math.max(0, total - used), active: host.isActive(storage, node) ? 1 : 0 }
      return { type, content: content.join(','), shared: isShared ? 1 : 0, enabled: 1, ...size }
    },
  },
  {
    method: 'GET',
    pattern: onStorage('/content'),
    allowed: { content: /^[a-z,]+$/, vmid: whole },
    needs: ({ storage }) => [sees(storage)],
    run(view, { node = '', storage = '' }, { content, vmid }) {
      storageAt(view, storage, node)
      const isAsked = (row: { content: string; vmid?: number }) =>
        (content === undefined || content.split(',').includes(row.content)) &&
        (vmid === undefined || row.vmid === Number(vmid))
      return [...backupsOn(view, node, storage), ...disksOn(view, node, storage), ...mediaOn(view, storage)].filter(
        isAsked,
      )
    },
  },
  {
    method: 'DELETE',
    pattern: onStorage(volume),
    allowed: { delay: whole },
    needs: (parts) => {
      const volid = full(parts)
      return isBackup(volid) ? readsBackup(volid) : [need(`/storage/${parts.storage}`, 'Datastore.Allocate')]
    },
    run(model, parts) {
      const { host } = model
      const { node = '', storage = '' } = parts
      const volid = full(parts)
      if (!isBackup(volid))
        throw new Refusal(500, `Cannot remove image, a guest with VMID '${/\d+/.exec(volid)?.[0]}' exists!`)
      if (backupNamed(model, node, volid).isProtected) {
        throw new Refusal(500, `cannot remove protected volume '${volid.slice(storage.length + 1)}' on '${storage}'`)
      }
      const upid = host.beginTask(
        node,
        'imgdel',
        `${storage}:${volid.slice(storage.length + 1)}`.replaceAll(/[:/\s]/g, '-'),
      )
      host.later(deletedInMs + model.faults.lateMs, () => {
        removeBackup(model, node, volid)
        host.endTask(upid, 'OK')
      })
      return upid
    },
  },
  {
    method: 'PUT',
    pattern: onStorage(volume),
    allowed: { notes: anything, protected: flag },
    needs: (parts) => readsBackup(full(parts)),
    run(model, parts, { notes, protected: isProtected }) {
      const { volid } = backupNamed(model, parts.node ?? '', full(parts))
      const archive = model.archives.get(volid)
      if (archive !== undefined && notes !== undefined) archive.notes = notes
      if (archive !== undefined && isProtected !== undefined) archive.isProtected = isProtected === '1'
      return null
    },
  },
]

function backupsOn({ host, archives, may }: View, node: string, storage: string) {
  const isShared = host.storages().some(({ name, isShared }) => name === storage && isShared)
  const seesAll = may(need(`/storage/${storage}`, 'Datastore.Allocate'))
  const seesSome = may(need(`/storage/${storage}`, 'Datastore.AllocateSpace'))
  return host
    .backups()
    .filter((backup) => backup.storage === storage && (isShared || backup.node === node))
    .filter(({ vmid }) => seesAll || (seesSome && may(need(`/vms/${vmid}`, 'VM.Backup'))))
    .map(({ volid, vmid, ctime, format, sizeBytes, verification: state = 'none', notes: kept = '' }) => {
      const { isProtected = false, notes = kept, type } = archives.get(volid) ?? {}
      const said = {
        ...(isProtected && { protected: 1 }),
        ...(notes !== '' && { notes }),
        ...(type && { subtype: type }),
        ...(state !== 'none' && { verification: { state, upid: 'UPID:pbs:0' } }),
      }
      return { volid, vmid, ctime, format, size: sizeBytes, content: 'backup', ...said }
    })
}

function disksOn({ host, files, sizes, may }: View, node: string, storage: string) {
  const isShared = host.storages().some(({ name, isShared }) => name === storage && isShared)
  const seesAll = may(need(`/storage/${storage}`, 'Datastore.Allocate'))
  const seesSome = may(need(`/storage/${storage}`, 'Datastore.Audit'))
  return host.guests().flatMap((guest) => {
    if (!isShared && guest.node !== node) return []
    if (!seesAll && !(seesSome && may(need(`/vms/${guest.vmid}`, 'VM.Config.Disk')))) return []
    return disksIn(guest.type, fullConfig(guest, files.of(guest)), true)
      .filter((disk) => disk.storage === storage && sizes.get(disk.volid) !== null)
      .map(({ volid, bytes: configured }) => {
        const bytes = sizes.get(volid) ?? configured
        const format = /\.(qcow2|raw|vmdk)$/.exec(volid)?.[1] ?? (volid.includes('subvol') ? 'subvol' : 'raw')
        return { volid, vmid: guest.vmid, size: bytes, format, content: guest.type === 'qemu' ? 'images' : 'rootdir' }
      })
  })
}

const mediaOn = (
  { media }: Model,
  storage: string,
): { volid: string; content: string; size: number; format: string; vmid?: number }[] =>
  media
    .filter(({ volid }) => volid.startsWith(`${storage}:`))
    .map(({ volid, kind, bytes }) => ({ volid, content: kind, size: bytes, format: kind === 'iso' ? 'iso' : 'tzst' }))
