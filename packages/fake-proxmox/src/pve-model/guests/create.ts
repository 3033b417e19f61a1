import type { Model } from '../model.ts'
import { poolNamed } from '../pools.ts'
import { mustBeQuorate } from '../quorum.ts'
import { anything, flag, need, type Parts, type Route, type Values, vmidShape, whole, wordShape } from '../route.ts'
import { bridgeNeeds, keysIn, needsOf } from './change.ts'
import { shapesOf } from './keys.ts'
import { claimGuest, completeGuest, marksOfNew, mustBeFreeId, type NewGuest } from './new-guest.ts'
import { completedKeys, madeDisks, restore } from './restore.ts'
import { mustExist, storageForDisks } from './volumes.ts'
import { work } from './work.ts'

const common = {
  vmid: vmidShape,
  storage: wordShape,
  pool: wordShape,
  start: flag,
  force: flag,
  unique: flag,
  bwlimit: whole,
}
const createdInMs = { qemu: 2_000, lxc: 8_000 }

export const createRoutes: readonly Route[] = [
  {
    method: 'POST',
    pattern: /^\/nodes\/(?<node>[^/]+)\/(?<type>qemu)$/,
    allowed: { ...shapesOf('qemu'), ...common, archive: anything, 'live-restore': flag },
    required: ['vmid'],
    needs: newNeeds,
    run: (model, { node = '' }, values) =>
      values.archive === undefined
        ? create(model, { node, type: 'qemu' }, values)
        : restore(model, { node, type: 'qemu' }, values),
  },
  {
    method: 'POST',
    pattern: /^\/nodes\/(?<node>[^/]+)\/(?<type>lxc)$/,
    allowed: {
      ...shapesOf('lxc'),
      ...common,
      ostemplate: anything,
      restore: flag,
      password: anything,
      'ssh-public-keys': anything,
      'ignore-unpack-errors': flag,
    },
    required: ['vmid', 'ostemplate'],
    needs: newNeeds,
    run: (model, { node = '' }, values) =>
      values.restore === '1'
        ? restore(model, { node, type: 'lxc' }, values)
        : create(model, { node, type: 'lxc' }, values),
  },
]

function newNeeds({ type }: Parts, values: Values, { host }: Model) {
  const { vmid = '', pool, storage, force } = values
  const allocate = pool === undefined ? need(`/vms/${vmid}`, 'VM.Allocate') : need(`/pool/${pool}`, 'VM.Allocate')
  const isOver = force === '1' && host.guest(Number(vmid)) !== undefined
  const kind = type === 'lxc' ? 'lxc' : 'qemu'
  // The right to make a guest includes the right to set its options, except options that only root may set.
  needsOf(kind, vmid, { keys: keysIn(kind, values), deleted: [] })
  const space = storage === undefined ? [] : [need(`/storage/${storage}`, 'Datastore.AllocateSpace')]
  return [isOver ? need(`/vms/${vmid}`, 'VM.Backup', 'VM.Allocate') : allocate, ...space, ...bridgeNeeds(values)]
}

function create(model: Model, at: Pick<NewGuest, 'node' | 'type'>, values: Values): string {
  const { host } = model
  const { node, type } = at
  const { pool, storage = 'local' } = values
  const vmid = Number(values.vmid)
  mustBeQuorate(model)
  mustBeFreeId(model, { vmid, type }, 'create')
  if (pool !== undefined) poolNamed(model, pool)
  if (type === 'lxc') mustExist(model, node, values.ostemplate ?? '')
  const defaults: Record<string, string> =
    type === 'qemu'
      ? { memory: '512', cores: '1', sockets: '1', name: `VM${vmid}`, ...marksOfNew(model, vmid) }
      : { memory: '512', swap: '512', hostname: `CT${vmid}`, rootfs: `${storage}:4` }
  const config = { ...defaults, ...completedKeys(type, vmid, values) }
  for (const [key, value] of Object.entries(config)) {
    const [, storageName] = /^([^:/,]+):\d+(?:\.\d+)?(?:,|$)/.exec(value) ?? []
    if (storageName !== undefined && !key.startsWith('net')) storageForDisks(model, at, storageName)
    if (value.includes('media=cdrom') && !value.startsWith('none')) mustExist(model, node, value.split(',')[0] ?? '')
  }
  const guest: NewGuest = { vmid, type, node, config, pool }
  const upid = work(model, {
    node,
    type: type === 'qemu' ? 'qmcreate' : 'vzcreate',
    vmid,
    ms: createdInMs[type],
    finish() {
      completeGuest(model, { ...guest, config: madeDisks(model, guest) })
      if (values.start === '1') host.bootGuest(vmid)
    },
    failed() {
      model.files.remove(vmid)
      host.removeGuest(vmid)
    },
  })
  claimGuest(model, guest)
  return upid
}
