import type { Guest } from 'protocol'
import { named, quoted } from 'redaction/visible'
import { z } from 'zod'
import { type Effect, Mistake } from '../../gate/effect.ts'
import { nodeTarget } from '../../gate/targets.ts'
import { ageOf } from '../../homelab/format.ts'
import { sizeOf, volumesOf } from '../../homelab/operations/guest-config.ts'
import { clusterNow, homelabTool, rights } from '../homelab/homelab-tool.ts'
import { NodeName, textLike, Vmid } from '../homelab/inputs.ts'
import {
  changeGuest,
  contentOf,
  GuestName,
  longTimeoutMs,
  mustBeNew,
  newEffect,
  StorageName,
  storageFor,
  TaskOutput,
  tagsIn,
  unmade,
  volumeThere,
} from './guest-tool.ts'

const words = { vm: 'VM', ct: 'CT' }

/** The type of guest in a backup, from the backup's name. @throws Mistake */
function typeOf(archive: string): Guest['type'] {
  if (/:backup\/(?:vzdump-qemu-|vm\/)/.test(archive)) return 'vm'
  if (/:backup\/(?:vzdump-lxc-|ct\/)/.test(archive)) return 'ct'
  throw new Mistake('archive: must be a backup of a guest, as get_backups names it.')
}

export const restoreGuest = homelabTool({
  name: 'restore_guest',
  title: 'Restore a backup to a new guest',
  description: 'Restores a backup under a new id, beside its guest. It is not started.',
  tier: 'red',
  touches: [{ kind: 'create', on: 'guest' }],
  effects({ archive, newId, name, node }, world): Effect[] {
    const type = typeOf(archive)
    const { status } = nodeTarget(node, world)
    if (status !== 'online') throw new Mistake(`node: ${named(node)} is ${status ?? 'unknown'}.`)
    const sentence = `The backup ${quoted(archive, 120)} is restored to ${words[type]} ${newId} ${named(name)} on ${named(node)}.`
    return [
      newEffect(
        world,
        { type, newId, node, name },
        { deed: `restore to ${newId}`, sentence, becomes: { unread: true } },
      ),
    ]
  },
  async prepare({ archive, newId, name, node, storage }, context, ports) {
    const type = typeOf(archive)
    await mustBeNew(ports, { newId, name }, context)
    const { ctime } = await volumeThere(
      ports,
      { node, volume: archive, content: 'backup', field: 'archive' },
      context.signal,
    )
    const text = await ports.api.get(['nodes', node, 'vzdump', 'extractconfig'], { volume: archive }, context)
    const lines = String(text)
      .split('\n')
      .flatMap((line) => {
        const [, key, value] = /^(\w+): (.*)$/.exec(line) ?? []
        return key === undefined || value === undefined ? [] : [[key, value] as const]
      })
    const values = Object.fromEntries(lines)
    const volumes = volumesOf(values)
    const loose = volumes.find((volume) => volume.storage === undefined)
    if (loose !== undefined)
      throw new Mistake(`archive: ${loose.key} of it was a device or folder of the node: only root can restore that.`)
    const bytes = sizeOf(volumes)
    storageFor(ports, { name: storage, node, content: contentOf[type], needs: bytes })
    const age = typeof ctime === 'number' ? ageOf(ctime * 1000, clusterNow(ports)) : 'at an unknown time'
    return {
      becomes: { name, node, tags: tagsIn(values) },
      now: `${newId} is free; the backup was made ${age}`,
      then: `${words[type]} ${newId} ${named(name)} on ${named(node)}, stopped${bytes === undefined ? '' : `, ${Math.ceil(bytes / 1024 ** 3)} GiB on ${named(storage)}`}`,
      affects: 'The guest it is of stays as it is. Started beside it, the copy may use the same address',
      undo: unmade(newId, name, ports.api.now()),
    }
  },
  ending: ({ newId }) => ({ vmid: newId, types: ['qmrestore', 'vzrestore'] }),
  needs: [rights.guests, rights.storages, rights.makeBackups, rights.allocate, rights.useSpace, rights.useBridges],
  timeoutMs: longTimeoutMs,
  input: z.strictObject({
    archive: textLike(/^[\w.-]+:backup\/[\w.:+/-]{1,250}$/, 'must be a backup as get_backups names it').describe(
      'As get_backups names it.',
    ),
    newId: Vmid.describe('Its id.'),
    name: GuestName.describe('Its name.'),
    node: NodeName.describe('Where.'),
    storage: StorageName.describe('For its disks.'),
  }),
  example: {
    archive: 'tank-nfs:backup/vzdump-qemu-101-2026_01_01-00_00_00.vma.zst',
    newId: 903,
    name: 'usual-restored',
    node: 'Home',
    storage: 'local-zfs',
  },
  output: TaskOutput,
  async run({ archive, newId, name, node, storage }, context, ports) {
    const type = typeOf(archive)
    await mustBeNew(ports, { newId, name }, context)
    const common = { vmid: String(newId), storage, unique: '1' }
    const form =
      type === 'vm' ? { ...common, archive, name } : { ...common, ostemplate: archive, restore: '1', hostname: name }
    const path = ['nodes', node, type === 'vm' ? 'qemu' : 'lxc']
    return changeGuest(
      ports,
      {
        request: { path, form, what: `the restore to ${newId}` },
        vmid: newId,
        about: `${newId}`,
        did: `the backup is restored to ${newId} ${named(name)} on ${named(node)}`,
        after: 'It is stopped.',
      },
      context,
    )
  },
})
