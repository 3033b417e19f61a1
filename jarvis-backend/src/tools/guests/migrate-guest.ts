import { ApiError } from 'homelab-ports/failure'
import type { Guest } from 'protocol'
import { named, plainWord } from 'redaction/visible'
import { z } from 'zod'
import { Mistake } from '../../gate/effect.ts'
import { guestTarget, nodeTarget } from '../../gate/targets.ts'
import { oneLine } from '../../homelab/format.ts'
import { record, sizeOf, volumesOf } from '../../homelab/operations/guest-config.ts'
import { guestPath } from '../../homelab/pve/guest.ts'
import { type HomelabPorts, homelabTool, rights } from '../homelab/homelab-tool.ts'
import { NodeName } from '../homelab/inputs.ts'
import {
  changeGuest,
  contentOf,
  cutsPower,
  freeGuest,
  gib,
  guestEffect,
  knownGuest,
  longTimeoutMs,
  placeOf,
  storageFor,
  TaskOutput,
  vmidOf,
  who,
} from './guest-tool.ts'

const isUp = ({ status }: Pick<Guest, 'status'>) => status === 'running' || status === 'paused'

export const migrateGuest = homelabTool({
  name: 'migrate_guest',
  title: 'Move a guest to another node',
  description: 'Moves a guest to another node; a running container restarts.',
  tier: 'red',
  touches: [
    { kind: 'data', on: 'guest' },
    { kind: 'power', on: 'guest', action: 'restart' },
    { kind: 'read', on: 'node' },
  ],
  effects({ vmid, target }, world) {
    const to = nodeTarget(target, world, 'target')
    const guest = guestTarget({ vmid }, world)
    if (guest.node === target) throw new Mistake(`target: ${vmid} is on ${named(target)} already.`)
    if (to.status !== 'online') throw new Mistake(`target: ${named(target)} is ${to.status ?? 'unknown'}.`)
    const restarts = guest.type === 'ct' && guest.status !== 'stopped'
    return [
      guestEffect(
        'data',
        {
          vmid,
          deed: `move ${vmid} to ${target}`,
          sentence: () => `${who(guest)} moves from ${named(guest.node ?? '')} to ${named(target)}.`,
          becomes: { node: target },
        },
        world,
      ),
      ...(restarts ? [cutsPower(vmid, world, 'restart')] : []),
      { kind: 'read', on: 'node', target: to },
    ]
  },
  async prepare({ vmid, target }, context, ports) {
    const { guest, config } = await freeGuest(ports, { vmid }, context)
    await mustBeAllowed(ports, { guest, target }, context.signal)
    const { storages } = ports.cluster.state()
    const local = volumesOf(config.values).filter(
      ({ storage }) => !storages.some(({ name, node }) => name === storage && node === undefined),
    )
    const loose = local.find(({ storage }) => storage === undefined)
    if (loose !== undefined)
      throw new Mistake(
        `vmid: ${loose.key} of ${vmid} is a device or folder of ${named(guest.node)}, which does not move.`,
      )
    for (const name of new Set(local.map(({ storage = '' }) => storage))) {
      const needs = sizeOf(local.filter(({ storage }) => storage === name))
      storageFor(ports, { name, node: target, content: contentOf[guest.type], needs })
    }
    const bytes = sizeOf(local)
    const how = !isUp(guest)
      ? 'while it is off'
      : guest.type === 'vm'
        ? 'while it runs'
        : 'with a restart: it is away meanwhile'
    return {
      now: `${guest.status} on ${named(guest.node)}${guest.isHa ? ', managed by HA' : ''}`,
      then: `${guest.status} on ${named(target)}, moved ${how}${local.length === 0 ? '' : `, ${bytes === undefined ? 'its local disks' : `${gib(bytes)} GiB of local disks`} copied`}`,
      undo: {
        kind: 'call',
        toolName: 'migrate_guest',
        input: { vmid, target: guest.node },
        sentence: `It moves back to ${named(guest.node)}.`,
        expects: { node: target },
      },
      basis: { node: guest.node },
    }
  },
  ending: ({ vmid }) => ({ vmid, types: ['qmigrate', 'vzmigrate', 'hamigrate'] }),
  needs: [rights.guests, rights.storages, rights.migrate],
  timeoutMs: longTimeoutMs,
  input: z.strictObject({ vmid: vmidOf, target: NodeName.describe('The node to move to.') }),
  example: { vmid: 141, target: 'agent1' },
  output: TaskOutput.extend({ target: z.string() }),
  run({ vmid, target }, context, ports) {
    const place = placeOf(ports, vmid, context.target)
    const running = isUp(knownGuest(ports, vmid))
    const form = {
      target,
      ...(place.type === 'vm'
        ? { 'with-local-disks': '1', ...(running && { online: '1' }) }
        : running && { restart: '1' }),
    }
    return changeGuest(
      ports,
      {
        request: { path: [...guestPath(place), 'migrate'], form, what: `the move of ${vmid}` },
        vmid,
        about: `${vmid}`,
        did: knownGuest(ports, vmid).isHa
          ? `HA has taken the move to ${named(target)}`
          : `it is on ${named(target)} now`,
        data: { target },
      },
      context,
    )
  },
})

/** @throws Mistake if Proxmox does not allow the guest on the target node; ApiError */
async function mustBeAllowed(
  { api }: HomelabPorts,
  { guest, target }: { guest: Guest; target: string },
  signal: AbortSignal,
): Promise<void> {
  let said: unknown
  try {
    said = await api.get([...guestPath(guest), 'migrate'], {}, { signal })
  } catch (error) {
    // Older versions of Proxmox have no such request for containers.
    if (error instanceof ApiError && error.status === 501) return
    throw error
  }
  const answer = (typeof said === 'object' && said !== null ? said : {}) as Record<string, unknown>
  const devices = listOf(answer.local_resources)
  if (devices.length > 0) {
    throw new Mistake(
      `vmid: ${guest.vmid} uses devices of ${named(guest.node)} and cannot move: ${devices.map((one) => oneLine(one, 40)).join(', ')}.`,
    )
  }
  const allowed = answer.allowed_nodes ?? answer['allowed-nodes']
  if (allowed === undefined || listOf(allowed).includes(target)) return
  const why = whyNot(answer.not_allowed_nodes ?? answer['not-allowed-nodes'], target)
  throw new Mistake(
    `target: ${guest.vmid} cannot move to ${named(target)}${why === undefined ? '' : ` (${oneLine(why, 200)})`}. Proxmox allows ${listOf(allowed).join(', ') || 'no node'}.`,
  )
}

/** The reason why a guest cannot run on a node, in words. Proxmox answers with lists by kind of obstacle. */
function whyNot(refused: unknown, target: string): string | undefined {
  const of = (refused as Record<string, unknown> | null | undefined)?.[target]
  if (typeof of !== 'object' || of === null) return of === undefined || of === null ? undefined : String(of)
  const parts = Object.entries(of).map(([what, items]) => {
    // A resource of HA is an object that also holds the cause; its name is in `sid`.
    const names = (Array.isArray(items) ? items : []).map((item: unknown) => record(item).sid ?? String(item))
    const said = names.map((name) => oneLine(name, 60)).join(', ')
    return `${plainWord(what).replace(/[_-]/g, ' ')}${said === '' ? '' : `: ${said}`}`
  })
  return parts.length === 0 ? undefined : parts.join('; ')
}

const listOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : [])
