import type { Storage } from 'protocol'
import { named } from 'redaction/visible'
import { z } from 'zod'
import { Mistake } from '../../gate/effect.ts'
import { volumesOf } from '../../homelab/operations/guest-config.ts'
import { storageAt } from '../../homelab/operations/safety-snapshot.ts'
import { mayBeSnapshot, readSnapshots } from '../../homelab/operations/snapshots.ts'
import { guestPath } from '../../homelab/pve/guest.ts'
import { homelabTool, rights } from '../homelab/homelab-tool.ts'
import { textLike } from '../homelab/inputs.ts'
import { changeGuest, freeGuest, guestEffect, placeOf, TaskOutput, taskTimeoutMs, vmidOf, who } from './guest-tool.ts'

const SnapshotName = textLike(
  /^(?!(?:current|pending)$)[A-Za-z][\w-]{1,39}$/i,
  'must be 2 to 40 letters, digits, _ and -, begin with a letter, and be neither current nor pending',
)

const usualNote = 'Taken by JARVIS.'
const ramWords = 'The RAM is saved too: the guest stands still meanwhile, and its memory takes room twice over.'

export const takeSnapshot = homelabTool({
  name: 'take_snapshot',
  title: 'Take a snapshot',
  description: 'Takes a snapshot of a guest’s disks and configuration, so that it can go back to now.',
  tier: 'yellow',
  touches: [{ kind: 'create', on: 'guest' }],
  raises: [{ tier: 'red', words: 'ram: true, which holds the guest up' }],
  effects: ({ vmid, name, ram }, world) => [
    guestEffect(
      'create',
      {
        vmid,
        deed: `take snapshot ${name} of ${vmid}`,
        sentence: (target) => `A snapshot ${named(name)} of ${who(target)} is taken${ram ? ', with its RAM' : ''}.`,
        ...(ram && { atLeast: { tier: 'red', because: ramWords } }),
      },
      world,
    ),
  ],
  async prepare({ vmid, name, description, ram }, context, ports) {
    if (/^jarvis-/i.test(name))
      throw new Mistake('name: jarvis- stands before the snapshots that JARVIS deletes by itself; choose another.')
    const { guest, config } = await freeGuest(ports, { vmid, template: 'no' }, context)
    const { items } = await readSnapshots(ports.api, guest, context)
    if (items.some((item) => item.name === name)) {
      throw new Mistake(`name: ${vmid} has a snapshot ${named(name)} already; choose another.`)
    }
    if (!(await mayBeSnapshot(ports.api, guest, context))) {
      throw new Mistake(
        `vmid: no snapshot of ${vmid} can be taken: every disk must allow it. ${disksOf(config.values, ports.cluster.state().storages, guest.node)}`,
      )
    }
    if (ram && (guest.type === 'ct' || guest.status !== 'running')) {
      throw new Mistake(
        `ram: only of a virtual machine that runs; ${vmid} is ${guest.type === 'ct' ? 'a container' : guest.status}.`,
      )
    }
    return {
      now:
        items.length === 0
          ? 'it has no snapshot'
          : `its newest snapshot is ${named(items.at(-1)?.name ?? '')}, of ${items.length}`,
      then: `a snapshot ${named(name)} more; it grows with what changes`,
      undo: {
        kind: 'call',
        toolName: 'delete_snapshot',
        input: { vmid, name, description: description ?? usualNote },
        sentence: `The snapshot ${named(name)} is deleted again; the guest stays as it is.`,
      },
    }
  },
  ending: ({ vmid }) => ({ vmid, types: ['qmsnapshot', 'vzsnapshot'] }),
  needs: [rights.guests, rights.snapshots],
  timeoutMs: taskTimeoutMs,
  input: z.strictObject({
    vmid: vmidOf,
    name: SnapshotName.describe('Its name.'),
    description: textLike(/^.{1,500}$/su, 'must be 1 to 500 characters')
      .optional()
      .describe('What it is for.'),
    ram: z.boolean().optional().describe('Save a running VM’s RAM too.'),
  }),
  example: { vmid: 101, name: 'usual' },
  output: TaskOutput.extend({ name: z.string() }),
  run({ vmid, name, description = usualNote, ram }, context, ports) {
    const place = placeOf(ports, vmid, context.target)
    const form = { snapname: name, description, ...(ram && { vmstate: '1' }) }
    const what = `a snapshot of ${vmid}`
    return changeGuest(
      ports,
      {
        request: { path: [...guestPath(place), 'snapshot'], form, what },
        vmid,
        about: `${vmid}`,
        did: `the snapshot ${named(name)} is taken`,
        data: { name },
      },
      context,
    )
  },
})

/** Names the storage of each disk: `scsi0 lies on local (dir).` */
function disksOf(values: Readonly<Record<string, string>>, storages: readonly Storage[], node: string): string {
  const disks = volumesOf(values).map(({ key, storage }) => {
    const type = storageAt(storages, storage ?? '', node)?.type
    return `${key} ${storage === undefined ? 'outside of all storages' : `on ${storage}${type === undefined ? '' : ` (${type})`}`}`
  })
  return disks.length === 0 ? 'It has none.' : `Its disks: ${disks.join(', ')}. back_up_guest makes a backup instead.`
}
