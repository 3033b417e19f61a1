import type { ClusterState, Principal, ToolInput, Verdict } from 'protocol'
import {
  beyondRole,
  type Effect,
  notYours,
  notYoursReason,
  type Role,
  roleGone,
  seenBy,
  type World,
} from '../gate/index.ts'
import type { Tool } from '../tools/tool.ts'
import type { People } from './people.ts'

/** In whose name, and as which role in place of that person's own: only to try out what would happen. */
export type InName = Pick<Principal, 'person'> & { asRole?: string }

/** What bounds the calls of a person: a role's scopes, or a sentence where nothing may be asked. Undefined: nothing bounds them. */
export type Bound = Role | string | undefined

/** @param asker absent: whoever may call all tools */
export function boundOf(
  people: Pick<People, 'find'>,
  asker: InName | undefined,
  { policy }: Pick<World, 'policy'>,
): Bound {
  if (asker === undefined) return undefined
  const name = asker.asRole ?? people.find(asker.person)?.role
  if (name === undefined)
    return 'The person in whose name this is asked was removed or may not sign in, so it does not run.'
  const role = policy.roles.get(name)
  return role === undefined ? roleGone(name) : role.isWhole ? undefined : role
}

const refused = (reason: string): Verdict => ({ tier: 'black', rule: notYours, reason })

/**
 * The refusal of a call that a person may not ask for; undefined where they may.
 * @param judged what the gate would say of it otherwise
 */
export function refusalBy(
  bound: Bound,
  tool: Tool,
  input: ToolInput,
  effects: readonly Effect[],
  judged: Verdict,
  world: World,
): Verdict | undefined {
  if (bound === undefined) return undefined
  if (typeof bound === 'string') return refused(bound)
  const call = { toolName: tool.name, baseTier: tool.tier, input }
  const beyond = beyondRole(bound, call, shownBy(tool, input, effects, world), judged.tier, world)
  return beyond === undefined ? undefined : refused(notYoursReason(bound))
}

/**
 * The refusal of a call with a mistake in it, where the mistake is about a guest or node that is not theirs: the sentence about it would
 * tell of the thing.
 */
export function mistakeBeyond(bound: Bound, { vmid, node }: ToolInput, world: World): Verdict | undefined {
  if (bound === undefined) return undefined
  if (typeof bound === 'string') return refused(bound)
  const { guests, nodes } = seenBy(bound, wholeState(world), world)
  const isKnown =
    (typeof vmid !== 'number' || guests.some((guest) => guest.vmid === vmid)) &&
    (typeof node !== 'string' || nodes.some(({ name }) => name === node))
  return isKnown ? undefined : refused(notYoursReason(bound))
}

/** The cluster as a person may see it; undefined where they may see all of it. */
export const sightOf = (bound: Bound, world: () => World): ((state: ClusterState) => ClusterState) | undefined =>
  bound === undefined
    ? undefined
    : (state) => (typeof bound === 'string' ? nothingOf(state) : seenBy(bound, state, world()))

const nothingOf = (state: ClusterState): ClusterState => {
  const { name, isDemo, at, isQuorate } = state
  return { name, isDemo, at, isQuorate, nodes: [], guests: [], storages: [], tasks: [], missing: [] }
}

const wholeState = ({ cluster, now }: World): ClusterState => ({
  name: '',
  isDemo: false,
  at: now,
  isQuorate: null,
  storages: [],
  tasks: [],
  missing: [],
  ...cluster,
})

/** The effects of a call, with what its answer shows where the tool says that of a read of the site. */
function shownBy({ shows }: Tool, input: ToolInput, effects: readonly Effect[], { cluster }: World): readonly Effect[] {
  if (shows === undefined) return effects
  return effects.flatMap((effect): Effect[] => {
    if (shows === 'seen' && (effect.on === 'site' || effect.on === 'node')) return []
    if (effect.on !== 'site') return [effect]
    if (shows === 'conversation' || shows === 'seen') return []
    const vmid = shows(input as never)
    const guest = cluster.guests.find((one) => one.vmid === vmid)
    if (guest === undefined) return [effect]
    const { type, name, node } = guest
    return [
      { kind: 'read', on: 'guest', target: { kind: 'guest', id: `${type}/${vmid}`, name, node, vmid, type } } as Effect,
    ]
  })
}
