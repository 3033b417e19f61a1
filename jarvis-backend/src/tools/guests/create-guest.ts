import { named, quoted } from 'redaction/visible'
import { z } from 'zod'
import { Mistake } from '../../gate/effect.ts'
import { nodeTarget } from '../../gate/targets.ts'
import { homelabTool, rights } from '../homelab/homelab-tool.ts'
import { NodeName, textLike, Vmid } from '../homelab/inputs.ts'
import {
  changeGuest,
  contentOf,
  GuestName,
  mustBeNew,
  newEffect,
  StorageName,
  storageFor,
  TaskOutput,
  taskTimeoutMs,
  unmade,
  volumeThere,
} from './guest-tool.ts'

const gibBytes = 1024 ** 3
const words = { vm: 'VM', ct: 'CT' }
/** The type of storage content from which a new guest boots or is made, by type of guest. */
const contents = { vm: 'iso', ct: 'vztmpl' } as const

export const createGuest = homelabTool({
  name: 'create_guest',
  title: 'Create a guest',
  description:
    'Makes a VM that boots an ISO (STORAGE:iso/FILE), or a container from STORAGE:vztmpl/FILE. It is not started.',
  tier: 'red',
  touches: [{ kind: 'create', on: 'guest' }],
  effects({ type, newId, node, name, source }, world) {
    const { status } = nodeTarget(node, world)
    if (status !== 'online') throw new Mistake(`node: ${named(node)} is ${status ?? 'unknown'}.`)
    const sentence = `${words[type]} ${newId} ${named(name)} is made on ${named(node)} from ${quoted(source, 100)}.`
    return [newEffect(world, { type, newId, node, name }, { deed: `create ${newId}`, sentence })]
  },
  async prepare({ type, newId, name, node, source, storage, diskGib, cores, memoryMib }, context, ports) {
    await mustBeNew(ports, { newId, name }, context)
    await volumeThere(ports, { node, volume: source, content: contents[type], field: 'source' }, context.signal)
    storageFor(ports, { name: storage, node, content: contentOf[type], needs: diskGib * gibBytes })
    return {
      now: `${newId} is free`,
      then: `${words[type]} ${newId} ${named(name)} on ${named(node)}, stopped: ${cores} cores, ${memoryMib} MiB, ${diskGib} GiB on ${named(storage)}`,
      undo: unmade(newId, name, ports.api.now()),
    }
  },
  ending: ({ newId }) => ({ vmid: newId, types: ['qmcreate', 'vzcreate'] }),
  needs: [
    rights.guests,
    rights.storages,
    rights.allocate,
    rights.useSpace,
    rights.disks,
    rights.networks,
    rights.options,
    rights.processors,
    rights.memory,
    rights.useBridges,
  ],
  timeoutMs: taskTimeoutMs,
  input: z.strictObject({
    type: z.enum(['vm', 'ct']).describe('Kind.'),
    newId: Vmid.describe('Its id.'),
    name: GuestName.describe('Its name.'),
    node: NodeName.describe('Where.'),
    source: textLike(
      /^[\w.-]+:(?:iso|vztmpl)\/[\w.+-]{1,200}$/,
      'must be STORAGE:iso/FILE or STORAGE:vztmpl/FILE',
    ).describe('Volume id.'),
    storage: StorageName.describe('For its disk.'),
    diskGib: z.int().min(1).max(100_000).describe('GiB.'),
    cores: z.int().min(1).max(512).describe('CPU cores.'),
    memoryMib: z.int().min(64).max(4_000_000).describe('MiB.'),
    bridge: textLike(/^[A-Za-z]\w{0,14}$/, 'must be a bridge such as vmbr0')
      .optional()
      .describe('Absent: vmbr0.'),
  }),
  example: {
    type: 'vm',
    newId: 902,
    name: 'usual-made',
    diskGib: 8,
    cores: 1,
    memoryMib: 1024,
    node: 'Home',
    source: 'tank-nfs:iso/virtio-win.iso',
    storage: 'local-zfs',
  },
  output: TaskOutput,
  async run({ type, newId, name, node, source, storage, diskGib, cores, memoryMib, bridge = 'vmbr0' }, context, ports) {
    await mustBeNew(ports, { newId, name }, context)
    const common = { vmid: String(newId), cores: String(cores), memory: String(memoryMib) }
    const form =
      type === 'vm'
        ? {
            ...common,
            name,
            ostype: 'l26',
            agent: '1',
            scsihw: 'virtio-scsi-single',
            scsi0: `${storage}:${diskGib}`,
            ide2: `${source},media=cdrom`,
            boot: 'order=scsi0;ide2',
            net0: `virtio,bridge=${bridge}`,
          }
        : {
            ...common,
            hostname: name,
            ostemplate: source,
            unprivileged: '1',
            swap: '512',
            rootfs: `${storage}:${diskGib}`,
            net0: `name=eth0,bridge=${bridge},ip=dhcp`,
          }
    const path = ['nodes', node, type === 'vm' ? 'qemu' : 'lxc']
    return changeGuest(
      ports,
      {
        request: { path, form, what: `the making of ${newId}` },
        vmid: newId,
        about: `${newId}`,
        did: `${words[type]} ${newId} ${named(name)} is made on ${named(node)}`,
        after:
          type === 'vm'
            ? 'It is stopped, and boots the ISO.'
            : 'It is stopped, and has no password: its console is opened from the node.',
      },
      context,
    )
  },
})
