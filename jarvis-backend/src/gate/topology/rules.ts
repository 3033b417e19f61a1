import { firstOf } from 'node-kit/words'
import { plainWord } from 'redaction/visible'
import { guestOfUnit } from 'ssh-grammar/services'
import type { Effect } from '../effect.ts'
import type { Facts, Rule } from '../world.ts'
import {
  type Group,
  groupsOf,
  guestName,
  guestOf,
  haTransition,
  isOwnGuest,
  isOwnNode,
  quorumLoss,
  type Role,
  roleCosts,
  roleOf,
  roleWords,
  taskAtWork,
} from './topology.ts'
import { serviceNames } from './units.ts'

const power = [{ kind: 'power', on: 'guest' }] as const
const ends = [
  { ...power[0], action: 'stop' },
  { ...power[0], action: 'restart' },
] as const
const nodeEnds = [
  { kind: 'power', on: 'node', action: 'stop' },
  { kind: 'power', on: 'node', action: 'restart' },
] as const

/** Returns the guest that the call would interrupt; undefined if it is stopped, because it then serves nobody. */
function servingGuest(facts: Facts) {
  const guest = guestOf(facts)
  return guest?.status === 'stopped' ? undefined : guest
}

function ownGuest({ target, effect, world }: Facts): boolean {
  const names = serviceNames(effect.service ?? '', target)
  return [target.vmid, ...names.map(guestOfUnit)].some((vmid) => vmid !== undefined && isOwnGuest(vmid, world))
}

/** The rule for changes that the cluster cannot store without a quorum. The state may pass by itself, so the card keeps waiting. */
export const noQuorumRule = 'no_quorum'

/** Returns true if Proxmox writes the change into the cluster's own files. It does not for a command in a guest, nor for changes of a single node. */
export const restsOnQuorum = ({ kind, on }: Effect): boolean =>
  kind !== 'read' && kind !== 'execute' && (on === 'guest' || (on === 'site' && kind === 'create'))

const role = (name: string, which: Role): Rule => ({
  name,
  effects: ends,
  when: (facts) => foundIn(facts, which) !== undefined,
  tier: 'red',
  because(facts) {
    const { guest, source } = foundIn(facts, which) ?? {}
    const { cost, what } = roleCosts[which]
    if (guest === undefined || source === undefined) return `${cost}.`
    return `${guestName(guest)}: ${roleWords(source, what)}.`
  },
})

function foundIn(facts: Facts, which: Role) {
  const guest = servingGuest(facts)
  const source = guest && roleOf(guest, which, facts.world)
  return guest === undefined || source === undefined ? undefined : { guest, source }
}

function lastOf(facts: Facts): Group | undefined {
  const guest = guestOf(facts)
  if (guest?.status !== 'running') return undefined
  return groupsOf(guest, facts.world).find(({ running }) => running.length === 0)
}

function restOf({ others }: Group): string {
  if (others.length === 0) return 'there is no other.'
  const ids = others.map(({ vmid }) => vmid)
  const state = others.every(({ status }) => status === 'stopped') ? 'stopped' : 'not seen running'
  return `${firstOf(ids, 8)} ${ids.length === 1 ? 'is' : 'are'} ${state}.`
}

const stateOf = (facts: Facts) => {
  const guest = guestOf(facts)
  if (guest === undefined) return undefined
  // The rule `locked` covers a locked guest.
  return (guest.lock === undefined ? taskAtWork(guest, facts.world) : undefined) ?? haTransition(guest)
}

/** Rules that raise a call by the cluster's present state. Names and tags can only raise a call. */
export const topologyRules: readonly Rule[] = [
  {
    name: 'own_guest',
    effects: [...ends, { kind: 'power', on: 'service' }],
    when: ownGuest,
    tier: 'black',
    because: 'JARVIS runs on this guest: it could not finish.',
  },
  {
    name: 'own_node',
    effects: nodeEnds,
    when: ({ target, world }) => isOwnNode(target.node ?? '', world),
    tier: 'black',
    because: 'JARVIS runs on this node: it could not finish.',
  },
  {
    name: 'quorum_at_stake',
    effects: nodeEnds,
    when: ({ target, world }) => quorumLoss(target.node ?? '', world) !== undefined,
    tier: 'red',
    because: ({ target, world }) => quorumLoss(target.node ?? '', world) ?? '',
  },
  {
    name: noQuorumRule,
    when: ({ effect, world }) => world.cluster.isQuorate === false && restsOnQuorum(effect),
    tier: 'black',
    because:
      'The cluster has no quorum: Proxmox would refuse the change or do half of it, such as delete a disk and keep its configuration. Nothing is sent until enough nodes are online.',
  },
  {
    name: 'quorum_unknown',
    when: ({ effect, world }) => world.cluster.isQuorate === null && restsOnQuorum(effect),
    tier: 'red',
    because:
      'Whether the cluster has a quorum is not known: without one Proxmox refuses the change or does half of it.',
  },
  {
    name: 'at_work',
    effects: power,
    when: (facts) => stateOf(facts) !== undefined,
    tier: 'red',
    because: (facts) => `Something is at work on ${facts.target.vmid}: ${stateOf(facts)}.`,
  },
  role('gateway_guest', 'gateway'),
  role('dns_guest', 'dns'),
  role('storage_guest', 'storage'),
  role('may_be_own_guest', 'jarvis'),
  {
    name: 'last_of_group',
    effects: ends,
    when: (facts) => lastOf(facts) !== undefined,
    tier: 'red',
    because(facts) {
      const group = lastOf(facts)
      return group === undefined
        ? ''
        : `It is the last running one of the group ${plainWord(group.name)}: ${restOf(group)}`
    },
  },
]
