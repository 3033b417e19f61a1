import type { Guest } from 'protocol'
import { named } from 'redaction/visible'
import { z } from 'zod'
import { Mistake } from '../../gate/effect.ts'
import { guestTarget } from '../../gate/targets.ts'
import { type GuestConfig, sizeOf, volumesOf } from '../../homelab/operations/guest-config.ts'
import { readSnapshots } from '../../homelab/operations/snapshots.ts'
import { guestPath } from '../../homelab/pve/guest.ts'
import { type HomelabPorts, homelabTool, rights } from '../homelab/homelab-tool.ts'
import { Vmid } from '../homelab/inputs.ts'
import { mustHave } from './delete-snapshot.ts'
import {
  changeGuest,
  contentOf,
  freeGuest,
  GuestName,
  longTimeoutMs,
  mustBeNew,
  newEffect,
  placeOf,
  StorageName,
  snapshotConfig,
  storageFor,
  TaskOutput,
  tagsIn,
  unmade,
  vmidOf,
  who,
} from './guest-tool.ts'

export const cloneGuest = homelabTool({
  name: 'clone_guest',
  title: 'Clone a guest',
  description: 'Copies a guest or makes one from a template, under a new id. The copy is not started.',
  tier: 'red',
  touches: [
    { kind: 'create', on: 'guest' },
    { kind: 'read', on: 'guest' },
  ],
  effects({ vmid, newId, name, snapshot }, world) {
    const source = guestTarget({ vmid }, world)
    const { tags } = world.cluster.guests.find((guest) => guest.vmid === vmid) ?? {}
    const sentence = `${who(source)} is copied: the copy is ${newId} ${named(name)}.`
    return [
      newEffect(
        world,
        { type: source.type ?? 'vm', newId, node: source.node ?? '', name },
        {
          deed: `clone ${vmid} to ${newId}`,
          sentence,
          becomes: snapshot === undefined ? { tags: tags ?? [] } : { unread: true },
        },
      ),
      { kind: 'read', on: 'guest', target: source },
    ]
  },
  async prepare({ vmid, newId, name, storage, snapshot }, context, ports) {
    const { guest, config } = await freeGuest(ports, { vmid }, context)
    await mustBeNew(ports, { newId, name }, context)
    if (snapshot !== undefined)
      mustHave((await readSnapshots(ports.api, guest, context)).items, { vmid, name: snapshot, field: 'snapshot' })
    else if (guest.type === 'ct' && guest.status !== 'stopped') {
      throw new Mistake('snapshot: a container that runs is copied from a snapshot. take_snapshot first, or stop it.')
    }
    const bytes = roomFor(ports, { guest, config }, storage)
    const copied = snapshot === undefined ? config.values : await snapshotConfig(ports, { guest, snapshot }, context)
    return {
      becomes: { name, node: guest.node, tags: tagsIn(copied) },
      now: `${newId} is free${config.isTemplate ? '; the source is a template' : ''}`,
      then: `${guest.type === 'vm' ? 'VM' : 'CT'} ${newId} ${named(name)} on ${named(guest.node)}, stopped, ${
        bytes === 0
          ? 'its disks leaning on the template'
          : bytes === undefined
            ? 'its disks copied'
            : `${Math.ceil(bytes / 1024 ** 3)} GiB of disks copied`
      }${storage === undefined ? '' : ` to ${named(storage)}`}`,
      affects:
        'The source is locked while it is copied. The copy has new MAC addresses, and the same names and keys inside',
      undo: unmade(newId, name, ports.api.now()),
    }
  },
  ending: ({ vmid }) => ({ vmid, types: ['qmclone', 'vzclone'] }),
  needs: [rights.guests, rights.clone, rights.allocate, rights.useSpace, rights.useBridges],
  timeoutMs: longTimeoutMs,
  input: z.strictObject({
    vmid: vmidOf,
    newId: Vmid.describe('Its id.'),
    name: GuestName.describe('Its name.'),
    storage: StorageName.optional().describe('Absent: as the source, of a template linked.'),
    snapshot: z.string().optional().describe('Copy this one.'),
  }),
  example: { vmid: 141, newId: 901, name: 'usual-copy' },
  output: TaskOutput.extend({ newId: z.int() }),
  async run({ vmid, newId, name, storage, snapshot }, context, ports) {
    const place = placeOf(ports, vmid)
    const { config } = await freeGuest(ports, { vmid }, context)
    await mustBeNew(ports, { newId, name }, context)
    const form = {
      newid: String(newId),
      [place.type === 'vm' ? 'name' : 'hostname']: name,
      ...(storage !== undefined && { storage }),
      ...(snapshot !== undefined && { snapname: snapshot }),
      full: config.isTemplate && storage === undefined ? '0' : '1',
    }
    return changeGuest(
      ports,
      {
        request: { path: [...guestPath(place), 'clone'], form, what: `a copy of ${vmid}` },
        vmid,
        makes: newId,
        about: `${vmid}`,
        did: `it is copied to ${newId} ${named(name)}`,
        after: 'The copy is stopped.',
        data: { newId },
      },
      context,
    )
  },
})

/** @returns the bytes to be copied; undefined if they are not known @throws Mistake if the storage has no room for them */
function roomFor(
  ports: HomelabPorts,
  { guest, config }: { guest: Guest; config: GuestConfig },
  storage: string | undefined,
) {
  if (config.isTemplate && storage === undefined) return 0
  const volumes = volumesOf(config.values)
  const loose = volumes.find((volume) => volume.storage === undefined)
  if (loose !== undefined)
    throw new Mistake(`vmid: ${loose.key} of ${guest.vmid} lies outside of all storages, and cannot be copied.`)
  const to = storage === undefined ? [...new Set(volumes.map((volume) => volume.storage ?? ''))] : [storage]
  for (const name of to) {
    const moved = storage === undefined ? volumes.filter((volume) => volume.storage === name) : volumes
    storageFor(ports, { name, node: guest.node, content: contentOf[guest.type], needs: sizeOf(moved) })
  }
  return sizeOf(volumes)
}
