import { named, quoted } from 'redaction/visible'
import { z } from 'zod'
import { Mistake } from '../../gate/effect.ts'
import { ageOf } from '../../homelab/format.ts'
import { readSnapshots, type Snapshot } from '../../homelab/operations/snapshots.ts'
import { guestPath } from '../../homelab/pve/guest.ts'
import { clusterNow, homelabTool, rights } from '../homelab/homelab-tool.ts'
import { changeGuest, freeGuest, guestEffect, placeOf, TaskOutput, taskTimeoutMs, vmidOf, who } from './guest-tool.ts'

/** A text that distinguishes two snapshots of the same name. */
export const identityOf = ({ name, takenAt }: Snapshot): string => `${name}@${takenAt ?? 'unknown'}`

/** @throws Mistake if the guest has no snapshot of that name */
export function mustHave(
  items: readonly Snapshot[],
  { vmid, name, field = 'name' }: { vmid: number; name: string; field?: string },
): Snapshot {
  const found = items.find((item) => item.name === name)
  if (found !== undefined) return found
  const names = items.slice(-10).map((item) => named(item.name))
  throw new Mistake(
    `${field}: ${vmid} has no snapshot ${named(name)}. ${names.length === 0 ? 'It has none.' : `It has ${names.join(', ')}.`}`,
  )
}

export const deleteSnapshot = homelabTool({
  name: 'delete_snapshot',
  title: 'Delete a snapshot',
  description: 'Deletes one snapshot of a guest; the guest itself stays as it is.',
  tier: 'red',
  touches: [{ kind: 'destroy', on: 'guest' }],
  effects: ({ vmid, name }, world) => [
    guestEffect(
      'destroy',
      {
        vmid,
        deed: `delete snapshot ${name} of ${vmid}`,
        sentence: (target) => `The snapshot ${named(name)} of ${who(target)} is deleted.`,
      },
      world,
    ),
  ],
  async prepare({ vmid, name, description }, context, ports) {
    const { guest } = await freeGuest(ports, { vmid }, context)
    const { items } = await readSnapshots(ports.api, guest, context)
    const found = mustHave(items, { vmid, name })
    if (description !== undefined && found.description !== description) {
      throw new Mistake(
        `description: ${named(name)} is another snapshot than was meant: it says ${quoted(found.description, 80)}, not ${quoted(description, 80)}.`,
      )
    }
    const age = found.takenAt === undefined ? 'of unknown age' : ageOf(found.takenAt, clusterNow(ports))
    return {
      now: `${named(name)} was taken ${age}${found.hasRam ? ', with RAM' : ''}${found.description === '' ? '' : `: ${quoted(found.description, 80)}`}`,
      then: 'the guest can never go back to it',
      undo: { kind: 'none', because: 'A deleted snapshot cannot be made again.' },
      basis: { snapshot: identityOf(found) },
    }
  },
  ending: ({ vmid }) => ({ vmid, types: ['qmdelsnapshot', 'vzdelsnapshot'] }),
  needs: [rights.guests, rights.snapshots],
  timeoutMs: taskTimeoutMs,
  input: z.strictObject({
    vmid: vmidOf,
    name: z.string().describe('Its name.'),
    description: z.string().optional().describe('Only if it has this description.'),
  }),
  example: { vmid: 101, name: 'usual' },
  output: TaskOutput.extend({ name: z.string() }),
  run({ vmid, name }, context, ports) {
    const place = placeOf(ports, vmid, context.target)
    const path = [...guestPath(place), 'snapshot', name]
    return changeGuest(
      ports,
      {
        request: { method: 'DELETE', path, what: `the end of a snapshot of ${vmid}` },
        vmid,
        about: `${vmid}`,
        did: `the snapshot ${named(name)} is deleted`,
        data: { name },
      },
      context,
    )
  },
})
