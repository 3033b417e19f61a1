import type { HostGuest } from '../host.ts'
import { guestIn, type Model } from '../model.ts'
import { misfit, Refusal } from '../refusal.ts'
import { anything, flag, need, onGuest, type Route, wordShape } from '../route.ts'
import { type Config, fullConfig, type GuestFile, nameKey, type Snapshot } from './files.ts'
import { bindMountsIn, disksIn, freeVolumes, GuestVolumes } from './volumes.ts'
import { wordOf, work } from './work.ts'

const snapshotName = /^[A-Za-z][A-Za-z0-9_-]{1,39}$/
const tookMs = { take: 2_000, withMemory: 12_000, remove: 2_000, rollback: 4_000 }
/** Overhead that QEMU adds to saved memory, bytes. */
const memoryExtraBytes = 500 * 1024 ** 2

const may: Route['needs'] = ({ vmid }) => [need(`/vms/${vmid}`, 'VM.Snapshot')]
const mayRollBack: Route['needs'] = ({ vmid }) => [need(`/vms/${vmid}`, 'VM.Snapshot', 'VM.Snapshot.Rollback')]
const sees: Route['needs'] = ({ vmid }) => [need(`/vms/${vmid}`, 'VM.Audit')]
const prefix = (guest: HostGuest) => (guest.type === 'qemu' ? 'qm' : 'vz')

/** @throws Refusal if the guest has no snapshot of this name */
export function snapshotNamed(file: GuestFile, name: string): Snapshot {
  const found = file.snapshots.find((snapshot) => snapshot.name === name)
  if (found === undefined) throw new Refusal(500, `snapshot '${name}' does not exist`)
  return found
}

/** True if all volumes of a guest's configuration can be snapshotted. */
export function canSnapshot({ host }: Model, guest: HostGuest, config: Config): boolean {
  if (guest.isTemplate || bindMountsIn(config).length > 0) return false
  return disksIn(guest.type, config).every(({ storage, volid }) => {
    const plugin = host.storages().find(({ name, nodes }) => name === storage && (nodes?.includes(guest.node) ?? true))
    if (/^(zfspool|lvmthin|rbd|btrfs|cephfs)$/.test(plugin?.type ?? '')) return true
    return guest.type === 'qemu' && /^(dir|nfs|cifs)$/.test(plugin?.type ?? '') && volid.endsWith('.qcow2')
  })
}

export const snapshotRoutes: readonly Route[] = [
  {
    method: 'GET',
    pattern: onGuest('/feature$'),
    allowed: { feature: /^(snapshot|clone|copy)$/, snapname: wordShape },
    required: ['feature'],
    needs: sees,
    run(model, parts, { feature }) {
      const guest = guestIn(model, parts)
      const has = feature !== 'snapshot' || canSnapshot(model, guest, fullConfig(guest, model.files.of(guest)))
      const nodes = model.host.nodes().map(({ name }) => name)
      return { hasFeature: has ? 1 : 0, ...(guest.type === 'qemu' && { nodes: has ? nodes : [] }) }
    },
  },
  {
    method: 'GET',
    pattern: onGuest('/snapshot$'),
    allowed: {},
    needs: sees,
    run(model, parts) {
      const guest = guestIn(model, parts)
      const { snapshots, parent } = model.files.of(guest)
      const rows = snapshots.map(({ name, description, snaptime, parent: from, vmstate }) => ({
        name,
        description,
        snaptime,
        ...(from && { parent: from }),
        ...(guest.type === 'qemu' && { vmstate: vmstate === undefined ? 0 : 1 }),
      }))
      const now = { name: 'current', description: 'You are here!', digest: model.files.digestOf(guest) }
      return [...rows, { ...now, running: guest.status === 'stopped' ? 0 : 1, ...(parent && { parent }) }]
    },
  },
  {
    method: 'POST',
    pattern: onGuest('/snapshot$', 'qemu'),
    allowed: { snapname: snapshotName, description: anything, vmstate: flag },
    required: ['snapname'],
    needs: may,
    run: (model, parts, values) => take(model, guestIn(model, parts), values),
  },
  {
    method: 'POST',
    pattern: onGuest('/snapshot$', 'lxc'),
    allowed: { snapname: snapshotName, description: anything },
    required: ['snapname'],
    needs: may,
    run: (model, parts, values) => take(model, guestIn(model, parts), values),
  },
  {
    method: 'DELETE',
    pattern: onGuest('/snapshot/(?<name>[^/]+)$'),
    allowed: { force: flag },
    needs: may,
    run: (model, parts) => remove(model, guestIn(model, parts), parts.name ?? ''),
  },
  {
    method: 'POST',
    pattern: onGuest('/snapshot/(?<name>[^/]+)/rollback$'),
    allowed: { start: flag },
    needs: mayRollBack,
    run: (model, parts, { start }) =>
      rollBack(model, guestIn(model, parts), { name: parts.name ?? '', isStarted: start === '1' }),
  },
  {
    method: 'GET',
    pattern: onGuest('/snapshot/(?<name>[^/]+)/config$'),
    allowed: {},
    needs: ({ vmid }) => [need(`/vms/${vmid}`, 'VM.Snapshot', 'VM.Snapshot.Rollback', 'VM.Audit')],
    run(model, parts) {
      const { config, description, snaptime } = snapshotNamed(model.files.of(guestIn(model, parts)), parts.name ?? '')
      return { ...config, description, snaptime }
    },
  },
]

function take(model: Model, guest: HostGuest, { snapname = '', description = '', vmstate }: Record<string, string>) {
  const { host, files } = model
  const { vmid, node } = guest
  if (snapname === 'current' || snapname === 'pending') {
    throw misfit({ snapname: `unable to use snapshot name '${snapname}' (reserved name)` })
  }
  const isKept = vmstate === '1' && guest.status !== 'stopped'
  const bytes = guest.ramBytes * 2 + memoryExtraBytes
  let volid: string | undefined
  return work(model, {
    node,
    vmid,
    lock: 'snapshot',
    ms: isKept ? tookMs.withMemory : tookMs.take,
    type: `${prefix(guest)}snapshot`,
    check() {
      const file = files.of(guest)
      const config = fullConfig(guest, file)
      if (guest.isTemplate) throw new Refusal(500, "you can't take a snapshot if it's a template")
      if (file.snapshots.some(({ name }) => name === snapname)) {
        throw new Refusal(500, `snapshot name '${snapname}' already used`)
      }
      if (!canSnapshot(model, guest, config)) throw new Refusal(500, 'snapshot feature is not available')
      if (!isKept) return
      if (Object.keys(config).some((key) => key.startsWith('virtiofs'))) {
        throw new Refusal(500, 'snapshots with memory are not possible while a virtiofs share is attached')
      }
      const [first] = disksIn(guest.type, config)
      volid = new GuestVolumes(model, guest).make({ storage: first?.storage ?? '', bytes, kind: `state-${snapname}` })
    },
    finish() {
      const now = host.guest(vmid)
      if (now === undefined) throw new Refusal(500, `${wordOf(guest)} ${vmid} is gone`)
      const file = files.of(now)
      const { lock: _, ...config } = fullConfig(now, file)
      delete config.parent
      const snaptime = Math.floor(host.now() / 1000)
      const made = { name: snapname, description, snaptime, parent: file.parent, config }
      file.snapshots.push({ ...made, vmstate: volid, vmstateBytes: volid === undefined ? 0 : bytes })
      file.parent = snapname
    },
  })
}

function remove(model: Model, guest: HostGuest, name: string) {
  const { files } = model
  return work(model, {
    node: guest.node,
    vmid: guest.vmid,
    lock: 'snapshot-delete',
    ms: tookMs.remove,
    type: `${prefix(guest)}delsnapshot`,
    check: () => void snapshotNamed(files.of(guest), name),
    finish() {
      const file = files.of(guest)
      const gone = snapshotNamed(file, name)
      file.snapshots = file.snapshots.filter((snapshot) => snapshot !== gone)
      for (const snapshot of file.snapshots) if (snapshot.parent === name) snapshot.parent = gone.parent
      if (file.parent === name) file.parent = gone.parent
      freeMemory(model, guest, gone)
    },
  })
}

/** Frees the volume with the saved memory of a snapshot. */
export function freeMemory(model: Model, { node }: HostGuest, { vmstate, vmstateBytes }: Snapshot) {
  if (vmstate === undefined) return
  freeVolumes(model, node, [{ storage: vmstate.split(':')[0] ?? '', bytes: vmstateBytes }])
}

function rollBack(model: Model, guest: HostGuest, { name, isStarted }: { name: string; isStarted: boolean }) {
  const { host, files } = model
  const { vmid, node, type } = guest
  return work(model, {
    node,
    vmid,
    lock: 'rollback',
    ms: tookMs.rollback,
    type: `${prefix(guest)}rollback`,
    check() {
      const file = files.of(guest)
      const { config } = snapshotNamed(file, name)
      if (guest.isTemplate) throw new Refusal(500, "you can't rollback if it's a template")
      const newest = file.snapshots.at(-1)?.name
      const onlyNewest = disksIn(type, config).find(({ storage }) => isNewestOnly(model, storage))
      if (onlyNewest !== undefined && newest !== name) {
        throw new Refusal(500, `can't rollback, '${name}' is not most recent snapshot on '${onlyNewest.volid}'`)
      }
    },
    finish() {
      const file = files.of(guest)
      const { config, vmstate } = snapshotNamed(file, name)
      const { [nameKey(type)]: own = guest.name, tags = '', template: _, ...rest } = config
      file.config = rest
      file.pending.clear()
      file.parent = name
      // A rollback cuts the guest's power, in any state.
      host.changeGuest(vmid, { name: own, tags: tags.split(';').filter((tag) => tag !== ''), status: 'stopped' })
      if (vmstate !== undefined || isStarted) host.bootGuest(vmid)
    },
  })
}

const isNewestOnly = ({ host }: Model, storage: string) =>
  host.storages().some(({ name, type }) => name === storage && /^(zfspool|lvm)$/.test(type))
