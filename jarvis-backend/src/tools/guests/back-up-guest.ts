import { named } from 'redaction/visible'
import { z } from 'zod'
import { diskOf } from '../../homelab/format.ts'
import { sizeOf, volumesOf } from '../../homelab/operations/guest-config.ts'
import { homelabTool, rights } from '../homelab/homelab-tool.ts'
import {
  changeGuest,
  cutsPower,
  freeGuest,
  freeOf,
  guestEffect,
  longTimeoutMs,
  placeOf,
  StorageName,
  storageFor,
  TaskOutput,
  vmidOf,
  who,
} from './guest-tool.ts'

export const backUpGuest = homelabTool({
  name: 'back_up_guest',
  title: 'Back up a guest now',
  description: 'Makes one backup of a guest now. Older backups are kept.',
  tier: 'yellow',
  touches: [
    { kind: 'create', on: 'guest' },
    { kind: 'power', on: 'guest', action: 'stop' },
  ],
  raises: [{ tier: 'red', words: 'mode stop or suspend, which holds the guest up' }],
  effects: ({ vmid, storage, mode = 'snapshot' }, world) => [
    guestEffect(
      'create',
      {
        vmid,
        deed: `back up ${vmid}`,
        sentence: (target) =>
          `A backup of ${who(target)} is made on ${named(storage)}${mode === 'snapshot' ? '' : `, with mode ${mode}`}.`,
        ...(mode !== 'snapshot' && {
          atLeast: { tier: 'red', because: `With mode ${mode} the guest is away meanwhile.` },
        }),
      },
      world,
    ),
    ...(mode === 'snapshot' ? [] : [cutsPower(vmid, world)]),
  ],
  async prepare({ vmid, storage, mode = 'snapshot' }, context, ports) {
    const { guest, config } = await freeGuest(ports, { vmid }, context)
    const { items } = await ports.cluster.backups({ vmid }, { signal: context.signal })
    const [newest] = items
    const needs = newest?.sizeBytes ?? sizeOf(volumesOf(config.values))
    const found = storageFor(ports, { name: storage, node: guest.node, content: 'backup', needs })
    const free = freeOf(found)
    const room = free === undefined ? 'its free room is not known' : `${diskOf(free)} free`
    return {
      now: `${items.length === 0 ? 'no backup of it is known' : `${items.length} backups are known`}; ${named(storage)}: ${room}`,
      then: `one backup more${newest === undefined ? '' : `, about ${diskOf(newest.sizeBytes)}`}; none is pruned`,
      ...(mode !== 'snapshot' && {
        affects:
          mode === 'stop'
            ? 'The guest is shut down until the backup has begun'
            : 'The guest stands still until the backup has begun',
      }),
      undo: {
        kind: 'none',
        because: 'It changes nothing in the guest. The backup stays until a person deletes it.',
        losesNothing: true,
      },
    }
  },
  ending: ({ vmid }) => ({ vmid, types: ['vzdump'] }),
  needs: [rights.guests, rights.storages, rights.makeBackups, rights.useSpace],
  timeoutMs: longTimeoutMs,
  input: z.strictObject({
    vmid: vmidOf,
    storage: StorageName.describe('One that holds backups.'),
    mode: z.enum(['snapshot', 'suspend', 'stop']).optional().describe('Absent: snapshot.'),
  }),
  example: { vmid: 101, storage: 'tank-nfs' },
  output: TaskOutput.extend({ storage: z.string() }),
  run({ vmid, storage, mode = 'snapshot' }, context, ports) {
    const { node } = placeOf(ports, vmid, context.target)
    const type = ports.cluster.state().storages.find(({ name }) => name === storage)?.type
    const form = {
      vmid: String(vmid),
      storage,
      mode,
      remove: '0',
      'notes-template': '{{guestname}}, by JARVIS',
      ...(type !== 'pbs' && { compress: 'zstd' }),
    }
    return changeGuest(
      ports,
      {
        request: { path: ['nodes', node, 'vzdump'], form, what: `a backup of ${vmid}` },
        vmid,
        about: `${vmid}`,
        did: `it is backed up on ${named(storage)}`,
        data: { storage },
      },
      context,
    )
  },
})
