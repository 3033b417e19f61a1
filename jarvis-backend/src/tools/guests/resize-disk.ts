import type { Guest } from 'protocol'
import { named } from 'redaction/visible'
import { z } from 'zod'
import { Mistake } from '../../gate/effect.ts'
import { type GuestConfig, readConfig, type Volume, volumesOf } from '../../homelab/operations/guest-config.ts'
import { safetyOf } from '../../homelab/operations/safety-snapshot.ts'
import { guestPath } from '../../homelab/pve/guest.ts'
import { type HomelabPorts, homelabTool, rights } from '../homelab/homelab-tool.ts'
import { textLike } from '../homelab/inputs.ts'
import {
  changeGuest,
  contentOf,
  freeGuest,
  gib,
  guestEffect,
  placeOf,
  storageFor,
  TaskOutput,
  taskTimeoutMs,
  vmidOf,
  who,
} from './guest-tool.ts'
import { laterOf, safetyWords, takenBefore } from './safety.ts'

const gibBytes = 1024 ** 3
const changeOf = (disk: string, addGib: number) => `${disk} +${addGib}`

export const resizeDisk = homelabTool({
  name: 'resize_disk',
  title: 'Enlarge a disk',
  description: 'Makes a guest’s disk larger, for good.',
  tier: 'red',
  touches: [{ kind: 'config', on: 'guest' }],
  effects: ({ vmid, disk, addGib }, world) => [
    guestEffect(
      'config',
      {
        vmid,
        deed: `enlarge ${disk} of ${vmid}`,
        sentence: (target) => `The disk ${named(disk)} of ${who(target)} grows by ${addGib} GiB.`,
      },
      world,
    ),
  ],
  async prepare({ vmid, disk, addGib }, context, ports) {
    const { guest, config } = await freeGuest(ports, { vmid, template: 'no' }, context)
    const { sizeBytes } = diskOf(ports, { guest, config }, { disk, addGib })
    const safety = await safetyOf(
      ports.api,
      { place: guest, config, change: changeOf(disk, addGib), storages: ports.cluster.state().storages },
      context,
    )
    const size = sizeBytes === undefined ? 'of unknown size' : `${gib(sizeBytes)} GiB`
    const then = sizeBytes === undefined ? `${addGib} GiB more` : `${gib(sizeBytes + addGib * gibBytes)} GiB`
    return {
      now: `${named(disk)} is ${size}`,
      then: `${then}${safetyWords(safety)}`,
      undo: { kind: 'none', because: 'Disks do not shrink.' },
      basis: { configuration: config.digest },
      ...laterOf(ports.api, vmid, safety),
    }
  },
  ending: ({ vmid }) => ({ vmid, types: ['resize'] }),
  needs: [rights.guests, rights.storages, rights.disks],
  timeoutMs: taskTimeoutMs,
  input: z.strictObject({
    vmid: vmidOf,
    disk: textLike(
      /^(?:(?:scsi|virtio|sata|ide|mp)\d{1,3}|rootfs)$/,
      'must be a disk such as scsi0 or rootfs',
    ).describe('Such as scsi0.'),
    addGib: z.int().min(1).max(100_000).describe('GiB to add.'),
  }),
  example: { vmid: 123, disk: 'scsi0', addGib: 1 },
  output: TaskOutput.extend({ disk: z.string(), safetySnapshot: z.string().optional() }),
  async run({ vmid, disk, addGib }, context, ports) {
    const place = placeOf(ports, vmid, context.target)
    const { guest, config: before } = await freeGuest(ports, { vmid }, context)
    diskOf(ports, { guest, config: before }, { disk, addGib })
    const safety = await takenBefore(ports, place, context)
    if ('failed' in safety) {
      return { ...safety.failed, data: { vmid, disk, exitStatus: safety.failed.summary, ok: false } }
    }
    const { name } = safety
    const { digest, values } = await readConfig(ports.api, place, context)
    if (values[disk] !== before.values[disk]) throw new Mistake(`disk: ${disk} was changed by somebody else just now.`)
    const form = { disk, size: `+${addGib}G`, digest }
    const request = { method: 'PUT' as const, path: [...guestPath(place), 'resize'], form, what: `a resize of ${vmid}` }
    return changeGuest(
      ports,
      {
        request,
        vmid,
        about: `${vmid}`,
        did: `${disk} is ${addGib} GiB larger`,
        after: `${guest.type === 'vm' ? 'Its partitions and file systems must be grown in the guest.' : ''}${name === undefined ? '' : ` The snapshot ${name} was taken before.`}`,
        data: { disk, ...(name !== undefined && { safetySnapshot: name }) },
      },
      context,
    )
  },
})

/** @throws Mistake if there is no disk of that name, or no room for it to grow */
function diskOf(
  ports: HomelabPorts,
  { guest, config }: { guest: Guest; config: GuestConfig },
  { disk, addGib }: { disk: string; addGib: number },
): Volume {
  const volumes = volumesOf(config.values)
  const found = volumes.find(({ key }) => key === disk)
  if (found?.storage === undefined) {
    const keys = volumes.filter(({ storage }) => storage !== undefined).map(({ key }) => key)
    throw new Mistake(
      `disk: ${guest.vmid} has no disk ${disk} on a storage. It has ${keys.length === 0 ? 'none' : keys.join(', ')}.`,
    )
  }
  storageFor(ports, {
    name: found.storage,
    node: guest.node,
    content: contentOf[guest.type],
    needs: addGib * gibBytes,
  })
  return found
}
