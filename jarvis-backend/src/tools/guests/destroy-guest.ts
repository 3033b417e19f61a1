import { spanOf } from 'node-kit/words'
import { named } from 'redaction/visible'
import { z } from 'zod'
import { type Effect, Mistake } from '../../gate/effect.ts'
import type { World } from '../../gate/world.ts'
import { guestPath } from '../../homelab/pve/guest.ts'
import { clusterNow, homelabTool, rights } from '../homelab/homelab-tool.ts'
import {
  changeGuest,
  freeGuest,
  GuestName,
  guestEffect,
  placeOf,
  TaskOutput,
  taskTimeoutMs,
  vmidOf,
  who,
} from './guest-tool.ts'

const name = 'destroy_guest'
const dayMs = 86_400_000
const proofKeptMs = 30 * dayMs
/** The level of a restore proof from which the backup was restored and booted. */
const booted = 5

/** A guest that JARVIS made may be destroyed. Another guest may be destroyed only if the policy allows it and a backup is proven. */
function tierOf(vmid: number, { policy, madeBy, proofOf, now }: World): Pick<Effect, 'atLeast'> {
  const refuse = (because: string) => ({ atLeast: { tier: 'black', because } as const })
  if (madeBy?.(vmid) !== undefined) {
    return {
      atLeast: {
        tier: 'red',
        because: 'JARVIS made this guest, and destroying it loses what is in it.',
        isAlways: true,
      },
    }
  }
  if (!policy.enabled.has(name))
    return refuse(
      `JARVIS destroys no guest that it did not make within the last day, unless policy.yaml names ${name} under enable.`,
    )
  const proof = proofOf?.(vmid)
  if (proof === undefined)
    return refuse(`No backup of ${vmid} is proven to restore: a restore drill must have booted one first.`)
  const age = now - proof.at
  if (proof.level < booted || age > proofKeptMs) {
    return refuse(
      `The newest restore proof of ${vmid} is ${spanOf(age / 1000)} old, of level ${proof.level}: it must be of level ${booted} and no older than 30 days.`,
    )
  }
  return {
    atLeast: {
      tier: 'red',
      because: `All that is in it is lost. A backup was proven to restore ${spanOf(age / 1000)} ago.`,
      isAlways: true,
    },
  }
}

export const destroyGuest = homelabTool({
  name,
  title: 'Destroy a guest',
  description: 'Destroys a stopped guest. Refused unless the operator enabled it or JARVIS made the guest.',
  tier: 'red',
  isOptIn: true,
  touches: [{ kind: 'destroy', on: 'guest' }],
  raises: [{ tier: 'black', words: 'a guest that JARVIS did not make, unless enabled and with a fresh restore proof' }],
  effects: ({ vmid }, world) => [
    guestEffect(
      'destroy',
      {
        vmid,
        deed: `destroy ${vmid}`,
        sentence: (target) => `${who(target)} is destroyed with its disks and snapshots.`,
        ...tierOf(vmid, world),
      },
      world,
    ),
  ],
  async prepare({ vmid, name: given }, context, ports) {
    const { guest, config } = await freeGuest(ports, { vmid }, context)
    if (guest.name !== given)
      throw new Mistake(
        `name: ${vmid} is ${named(guest.name)}, not ${named(given)}: it is another guest than was meant.`,
      )
    if (config.values.protection === '1')
      throw new Mistake(`vmid: ${vmid} is protected in Proxmox (protection: 1). A person must lift that first.`)
    if (guest.status !== 'stopped') throw new Mistake(`vmid: ${vmid} is ${guest.status}: it must be stopped first.`)
    if (guest.isHa) throw new Mistake(`vmid: HA manages ${vmid}: a person must take it out of HA first.`)
    const { items } = await ports.cluster.backups({ vmid }, { signal: context.signal })
    const [newest] = items
    const isKept =
      newest === undefined
        ? 'No backup of it is known.'
        : `restore_guest makes a new guest of its newest backup, ${spanOf((clusterNow(ports) - newest.createdAt) / 1000)} old.`
    return {
      now: `stopped on ${named(guest.node)}, ${items.length} backups known`,
      then: 'gone, with its disks and snapshots; its backups stay',
      undo: { kind: 'none', because: `What is destroyed is gone. ${isKept}` },
      basis: { configuration: config.digest },
    }
  },
  ending: ({ vmid }) => ({ vmid, types: ['qmdestroy', 'vzdestroy'] }),
  needs: [rights.guests, rights.allocate],
  timeoutMs: taskTimeoutMs,
  input: z.strictObject({ vmid: vmidOf, name: GuestName.describe('Its name, as a check.') }),
  example: { vmid: 142, name: 'win11-lab' },
  output: TaskOutput,
  run({ vmid, name: given }, context, ports) {
    const path = guestPath(placeOf(ports, vmid, context.target))
    return changeGuest(
      ports,
      {
        request: { method: 'DELETE', path, what: `the end of ${vmid}` },
        vmid,
        about: `${vmid}`,
        did: `${vmid} ${named(given)} is destroyed`,
      },
      context,
    )
  },
})
