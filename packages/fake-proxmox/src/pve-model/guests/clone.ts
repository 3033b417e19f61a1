import { guestIn, type Model } from '../model.ts'
import { poolNamed } from '../pools.ts'
import { mustBeQuorate } from '../quorum.ts'
import { misfit, Refusal } from '../refusal.ts'
import {
  anything,
  flag,
  need,
  onGuest,
  type Parts,
  type Route,
  type Values,
  vmidShape,
  whole,
  wordShape,
} from '../route.ts'
import { bridgeNeeds, completed } from './change.ts'
import { type Config, fullConfig, nameKey } from './files.ts'
import { shapesOf } from './keys.ts'
import { claimGuest, completeGuest, gibsIn, mustBeFreeId, type NewGuest, newUuid } from './new-guest.ts'
import { snapshotNamed } from './snapshots.ts'
import { disksIn, GuestVolumes, storageForDisks } from './volumes.ts'
import { mustBeFree, work } from './work.ts'

const tookMsPerGib = 250
const common = {
  newid: vmidShape,
  pool: wordShape,
  storage: wordShape,
  target: wordShape,
  full: flag,
  snapname: wordShape,
  bwlimit: whole,
  description: anything,
}
const needs: Route['needs'] = ({ vmid }, { newid, pool, storage }, { host, files }) => [
  need(`/vms/${vmid}`, 'VM.Clone'),
  pool === undefined ? need(`/vms/${newid}`, 'VM.Allocate') : need(`/pool/${pool}`, 'VM.Allocate'),
  ...(storage === undefined ? [] : [need(`/storage/${storage}`, 'Datastore.AllocateSpace')]),
  ...[host.guest(Number(vmid))].flatMap((source) =>
    source === undefined ? [] : bridgeNeeds(fullConfig(source, files.of(source))),
  ),
]

export const cloneRoutes: readonly Route[] = [
  {
    method: 'POST',
    pattern: onGuest('/clone$', 'qemu'),
    allowed: { ...common, name: shapesOf('qemu').name ?? anything, format: /^(raw|qcow2|vmdk)$/ },
    required: ['newid'],
    needs,
    run: clone,
  },
  {
    method: 'POST',
    pattern: onGuest('/clone$', 'lxc'),
    allowed: { ...common, hostname: shapesOf('lxc').hostname ?? anything },
    required: ['newid'],
    needs,
    run: clone,
  },
]

function clone(model: Model, parts: Parts, values: Values): string {
  const { host, files } = model
  const source = guestIn(model, parts)
  const { type, node } = source
  const { pool, storage, target = node, snapname, description } = values
  const vmid = Number(values.newid)
  const isLinked = values.full === '0' || (values.full === undefined && source.isTemplate)
  mustBeQuorate(model)
  mustBeFree(source)
  mustBeFreeId(model, { vmid, type }, 'clone')
  if (pool !== undefined) poolNamed(model, pool)
  if (!host.nodes().some(({ name, isOnline }) => name === target && isOnline)) {
    throw misfit({ target: `no such cluster node '${target}'` })
  }
  const from =
    snapname === undefined ? fullConfig(source, files.of(source)) : snapshotNamed(files.of(source), snapname).config
  const disks = disksIn(type, from)
  if (isLinked && storage !== undefined) throw misfit({ storage: "parameter 'storage' not allowed for linked clones" })
  if (isLinked && !source.isTemplate && snapname === undefined) {
    throw new Refusal(500, `Linked clone feature is not supported for drive '${disks[0]?.key ?? 'none'}'`)
  }
  if (!isLinked && type === 'lxc' && source.status !== 'stopped' && snapname === undefined) {
    throw new Refusal(500, 'Cannot do full clones on a running container without snapshots')
  }
  for (const disk of disks) {
    const { isShared } = storageForDisks(model, { type, node: target }, storage ?? disk.storage)
    if (target !== node && !isShared)
      throw new Refusal(500, `can't clone to non-shared storage '${storage ?? disk.storage}'`)
  }
  const kept = Object.entries(from).filter(([key]) => !/^(lock|parent|template|unused\d+|protection)$/.test(key))
  const config: Config = {
    ...Object.fromEntries(
      kept.map(([key, value]) => [
        key,
        completed(
          { type, vmid },
          key,
          value.replace(/(^|,)(hwaddr|virtio|e1000|rtl8139|vmxnet3)=[0-9A-F:]{17}/i, type === 'qemu' ? '$1$2' : ''),
        ),
      ]),
    ),
    [nameKey(type)]: values.name ?? values.hostname ?? `Copy-of-${type === 'qemu' ? 'VM' : 'CT'}-${source.name}`,
    ...(description !== undefined && { description }),
    ...(from.smbios1 !== undefined && { smbios1: `uuid=${newUuid(model, vmid)}` }),
  }
  const guest: NewGuest = { vmid, type, node: target, config, pool }
  const upid = work(model, {
    node,
    type: type === 'qemu' ? 'qmclone' : 'vzclone',
    vmid: source.vmid,
    ms: 1_000 + (isLinked ? 0 : gibsIn(type, config) * tookMsPerGib),
    finish() {
      const volumes = new GuestVolumes(model, guest)
      for (const disk of disks) {
        const volume = volumes.make({ storage: storage ?? disk.storage, bytes: isLinked ? 0 : disk.bytes })
        config[disk.key] = disk.value.replace(disk.volid, volume)
      }
      completeGuest(model, guest)
    },
    failed() {
      files.remove(vmid)
      host.removeGuest(vmid)
    },
  })
  claimGuest(model, guest, 'clone')
  return upid
}
