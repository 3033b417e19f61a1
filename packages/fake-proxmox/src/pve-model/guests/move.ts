import { guestIn, type Model } from '../model.ts'
import { misfit, Refusal } from '../refusal.ts'
import { anything, flag, need, onGuest, type Parts, type Route, type Values, whole, wordShape } from '../route.ts'
import { mustBeUnchanged } from './config.ts'
import { fullConfig } from './files.ts'
import { gibsIn } from './new-guest.ts'
import { bytesOf, type Disk, disksIn, sizeOf, storageAt, storageForDisks } from './volumes.ts'
import { mustBeFree, work } from './work.ts'

const migrates: Route['needs'] = ({ vmid }) => [need(`/vms/${vmid}`, 'VM.Migrate')]
const resizedInMs = 1_000
const tookMs = { least: 3_000, perGib: 250 }

export const moveRoutes: readonly Route[] = [
  {
    method: 'PUT',
    pattern: onGuest('/resize$'),
    allowed: { disk: /^[a-z]+\d*$/, size: /^\+?\d+(\.\d+)?[KMGT]?$/, digest: /^[0-9a-f]{0,40}$/, skiplock: flag },
    required: ['disk', 'size'],
    needs: ({ vmid }) => [need(`/vms/${vmid}`, 'VM.Config.Disk')],
    run: resize,
  },
  { method: 'GET', pattern: onGuest('/migrate$'), allowed: { target: wordShape }, needs: migrates, run: migration },
  {
    method: 'POST',
    pattern: onGuest('/migrate$', 'qemu'),
    allowed: { target: wordShape, online: flag, 'with-local-disks': flag, targetstorage: anything, bwlimit: whole },
    required: ['target'],
    needs: migrates,
    run: migrate,
  },
  {
    method: 'POST',
    pattern: onGuest('/migrate$', 'lxc'),
    allowed: {
      target: wordShape,
      restart: flag,
      online: flag,
      timeout: whole,
      'target-storage': anything,
      bwlimit: whole,
    },
    required: ['target'],
    needs: migrates,
    run: migrate,
  },
]

function resize(model: Model, parts: Parts, { disk: key = '', size = '', digest = '' }: Values): string {
  const { host, files } = model
  const guest = guestIn(model, parts)
  const { vmid, node, type } = guest
  mustBeUnchanged(model, guest, digest)
  mustBeFree(guest)
  const [disk] = disksIn(type, { [key]: files.of(guest).config[key] ?? 'none' })
  if (disk === undefined) throw new Refusal(500, `disk '${key}' does not exist`)
  const given = bytesOf(size.replace('+', '')) ?? 0
  const wanted = size.startsWith('+') ? disk.bytes + given : given
  if (wanted < disk.bytes) throw new Refusal(500, 'shrinking disks is not supported')
  return work(model, {
    node,
    vmid,
    type: 'resize',
    ms: resizedInMs,
    before() {
      const more = wanted - (model.sizes.get(disk.volid) ?? disk.bytes)
      const { usedBytes, totalBytes } = storageAt(model, disk.storage, node)
      if (usedBytes + more > totalBytes) throw new Refusal(500, `unable to resize '${disk.volid}': out of space`)
      host.useStorage(disk.storage, node, more)
      model.sizes.set(disk.volid, wanted)
    },
    finish() {
      const more = wanted - disk.bytes
      model.sizes.delete(disk.volid)
      files.of(guest).config[key] = disk.value.replace(/size=[^,]+/, `size=${sizeOf(wanted)}`)
      host.changeGuest(vmid, { diskBytes: guest.diskBytes + more })
    },
  })
}

/** The local disks, which a migration must copy. */
const localDisks = ({ host }: Model, disks: readonly Disk[]) =>
  disks.filter(({ storage }) => !host.storages().some(({ name, isShared }) => name === storage && isShared))

const localDevices = (config: Record<string, string>) =>
  Object.keys(config).filter(
    (key) => /^(hostpci|usb|serial|virtiofs)\d+$/.test(key) && config[key] !== 'spice' && config[key] !== 'socket',
  )

function migration(model: Model, parts: Parts) {
  const { host, files } = model
  const guest = guestIn(model, parts)
  const config = fullConfig(guest, files.of(guest))
  const disks = disksIn(guest.type, config)
  const others = host.nodes().filter(({ name }) => name !== guest.node)
  const lacks = (node: string) => disks.map(({ storage }) => storage).filter((storage) => !host.isActive(storage, node))
  const may = others.filter(({ name, isOnline }) => isOnline && lacks(name).length === 0).map(({ name }) => name)
  const not = Object.fromEntries(
    others.filter(({ name }) => !may.includes(name)).map(({ name }) => [name, { unavailable_storages: lacks(name) }]),
  )
  const running = guest.status === 'stopped' ? 0 : 1
  if (guest.type === 'lxc') return { running, 'allowed-nodes': may, 'not-allowed-nodes': not }
  return {
    running,
    allowed_nodes: may,
    not_allowed_nodes: not,
    local_disks: localDisks(model, disks).map(({ volid, bytes, key }) => ({
      volid,
      size: bytes,
      drivename: key,
      cdrom: 0,
    })),
    local_resources: localDevices(config),
    'mapped-resources': [],
  }
}

function migrate(model: Model, parts: Parts, values: Values): string {
  const { host, files } = model
  const guest = guestIn(model, parts)
  const { vmid, node, type } = guest
  const { target = '', online, restart, 'with-local-disks': withDisks } = values
  const storage = values.targetstorage ?? values['target-storage']
  const isUp = guest.status !== 'stopped'
  if (target === node) throw misfit({ target: 'target is local node.' })
  if (!host.nodes().some(({ name, isOnline }) => name === target && isOnline))
    throw misfit({ target: `no such cluster node '${target}'` })
  if (type === 'qemu' && isUp && online !== '1') throw new Refusal(500, "can't migrate running VM without --online")
  if (type === 'lxc' && isUp && restart !== '1')
    throw new Refusal(500, "can't migrate running container without --online or --restart")
  const config = files.of(guest).config
  const disks = disksIn(type, config)
  return work(model, {
    node,
    vmid,
    type: type === 'qemu' ? 'qmigrate' : 'vzmigrate',
    lock: 'migrate',
    ms:
      tookMs.least +
      gibsIn(type, Object.fromEntries(localDisks(model, disks).map(({ key, value }) => [key, value]))) * tookMs.perGib,
    check() {
      const [device] = localDevices(config)
      if (device !== undefined) throw new Refusal(500, `can't migrate VM which uses local devices: ${device}`)
      if (Object.values(config).some((value) => /^\/.*mp=/.test(value) && !value.includes('shared=1'))) {
        throw new Refusal(500, 'cannot migrate local bind mount point')
      }
      if (type === 'qemu' && isUp && withDisks !== '1' && localDisks(model, disks).length > 0) {
        throw new Refusal(500, "can't live migrate attached local disks without with-local-disks option")
      }
      for (const disk of disks) storageForDisks(model, { type, node: target }, storage ?? disk.storage)
    },
    finish() {
      for (const disk of localDisks(model, disks)) {
        const to = storage ?? disk.storage
        host.useStorage(disk.storage, node, -disk.bytes)
        host.useStorage(to, target, disk.bytes)
        config[disk.key] = disk.value.replace(`${disk.storage}:`, `${to}:`)
      }
      host.changeGuest(vmid, { node: target })
      if (type === 'lxc' && isUp) host.bootGuest(vmid)
    },
  })
}
