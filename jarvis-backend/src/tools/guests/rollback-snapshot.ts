import { firstOf, spanOf } from 'node-kit/words'
import { named } from 'redaction/visible'
import { z } from 'zod'
import { Mistake } from '../../gate/effect.ts'
import { volumesOf } from '../../homelab/operations/guest-config.ts'
import { storageAt } from '../../homelab/operations/safety-snapshot.ts'
import { readSnapshots } from '../../homelab/operations/snapshots.ts'
import { guestPath } from '../../homelab/pve/guest.ts'
import { clusterNow, homelabTool, rights } from '../homelab/homelab-tool.ts'
import { identityOf, mustHave } from './delete-snapshot.ts'
import {
  changeGuest,
  cutsPower,
  freeGuest,
  guestEffect,
  knownGuest,
  placeOf,
  snapshotConfig,
  TaskOutput,
  tagsIn,
  taskTimeoutMs,
  vmidOf,
  who,
} from './guest-tool.ts'

const asks = {
  tier: 'red',
  because: 'Going back throws away all that was written since the snapshot.',
  isAlways: true,
} as const
/** Types of storage that can roll back only to the newest snapshot. */
const newestOnly = ['zfspool', 'zfs', 'lvm']

export const rollbackSnapshot = homelabTool({
  name: 'rollback_snapshot',
  title: 'Roll back to a snapshot',
  description:
    'Takes a guest back to a snapshot: all that was written since is lost, and its power is cut. It starts again where it ran, or with `start`.',
  tier: 'red',
  touches: [
    { kind: 'data', on: 'guest' },
    { kind: 'power', on: 'guest', action: 'stop' },
  ],
  raises: [{ tier: 'red', words: 'always: what was written since is lost' }],
  effects: ({ vmid, name }, world) => [
    guestEffect(
      'data',
      {
        vmid,
        deed: `roll ${vmid} back to ${name}`,
        sentence: (target) =>
          `${who(target)} goes back to its snapshot ${named(name)}: all that was written since is thrown away.`,
        atLeast: asks,
        becomes: { unread: true },
      },
      world,
    ),
    cutsPower(vmid, world),
  ],
  async prepare({ vmid, name, start }, context, ports) {
    const { guest, config } = await freeGuest(ports, { vmid, template: 'no' }, context)
    const { items } = await readSnapshots(ports.api, guest, context)
    const found = mustHave(items, { vmid, name })
    const newer = items.slice(items.indexOf(found) + 1).map((item) => named(item.name))
    const { storages } = ports.cluster.state()
    const strict = volumesOf(config.values)
      .map(({ storage }) => storageAt(storages, storage ?? '', guest.node))
      .find((storage) => storage !== undefined && newestOnly.includes(storage.type))
    if (strict !== undefined && newer.length > 0) {
      throw new Mistake(
        `name: ${named(strict.name)} (${strict.type}) goes back only to its newest snapshot. Newer than ${named(name)}: ${firstOf(newer, 8)}. Only where the user wants to lose them too: delete_snapshot first.`,
      )
    }
    const age = found.takenAt === undefined ? undefined : spanOf((clusterNow(ports) - found.takenAt) / 1000)
    const isUp = guest.status === 'running' || guest.status === 'paused'
    const starts = found.hasRam || (start ?? isUp)
    const old = await snapshotConfig(ports, { guest, snapshot: name }, context)
    return {
      becomes: { tags: tagsIn(old), name: old.name ?? old.hostname ?? guest.name },
      now: `${guest.status} on ${named(guest.node)}; ${named(name)} is ${age === undefined ? 'of unknown age' : `${age} old`}`,
      then: `${isUp ? 'power cut at once → ' : ''}as it was then → ${starts ? 'running' : 'stopped'}`,
      affects: `Thrown away: what was written ${age === undefined ? 'since then' : `in the last ${age}`}, and its configuration since${newer.length === 0 ? '' : `. Newer snapshots stay: ${firstOf(newer, 8)}`}`,
      undo: { kind: 'none', because: 'What was written since the snapshot is thrown away, and kept nowhere.' },
      basis: { snapshot: identityOf(found) },
    }
  },
  ending: ({ vmid }) => ({ vmid, types: ['qmrollback', 'vzrollback'] }),
  needs: [rights.guests, rights.snapshots],
  timeoutMs: taskTimeoutMs,
  input: z.strictObject({
    vmid: vmidOf,
    name: z.string().describe('Its name.'),
    start: z.boolean().optional().describe('Absent: start it again where it runs now.'),
  }),
  example: { vmid: 101, name: 'usual' },
  output: TaskOutput.extend({ name: z.string() }),
  run({ vmid, name, start }, context, ports) {
    const place = placeOf(ports, vmid, context.target)
    const { status } = knownGuest(ports, vmid)
    const starts = start ?? (status === 'running' || status === 'paused')
    const path = [...guestPath(place), 'snapshot', name, 'rollback']
    return changeGuest(
      ports,
      {
        request: { path, form: starts ? { start: '1' } : {}, what: `the rollback of ${vmid}` },
        vmid,
        about: `${vmid}`,
        did: `it is back at its snapshot ${named(name)}${starts ? ' and starts' : ''}`,
        data: { name },
      },
      context,
    )
  },
})
