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

/** The person who asks. `asRole`: a role that replaces the person's own, only to try out its effect. */
export type InName = Pick<Principal, 'person'> & { asRole?: string }

/** The limit of a person's calls: a role with scopes, or a sentence if the person may ask for nothing. Undefined: no limit. */
export type Bound = Role | string | undefined

/** Returns the limit of the asker's calls. @param asker absent: no limit, all tools are allowed */
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

/** A call of a tool. `judged`: the gate's verdict, made without the person's role. */
type RoleCall = { tool: Tool; input: ToolInput; effects: readonly Effect[]; judged: Verdict }

/** Returns the refusal of a call for which the person may not ask; undefined if they may. */
export function refusalBy(bound: Bound, { tool, input, effects, judged }: RoleCall, world: World): Verdict | undefined {
  if (bound === undefined) return undefined
  if (typeof bound === 'string') return refused(bound)
  const call = { toolName: tool.name, baseTier: tool.tier, input }
  const reached = { effects: shownBy(tool, input, { effects, world }), tier: judged.tier }
  const beyond = beyondRole(bound, { call, ...reached }, world)
  return beyond === undefined ? undefined : refused(notYoursReason(bound))
}

/**
 * Returns a refusal in place of an error message about a guest or node that the person may not see, because the message would reveal the guest or
 * node.
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

/** Makes a function that reduces the cluster's state to the part that a person may see; undefined if they may see all of it. */
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

/** Returns the effects of a call. Replaces a read of the whole site by reads of the objects that the answer shows, if the tool declares them. */
function shownBy(
  { shows }: Tool,
  input: ToolInput,
  { effects, world }: { effects: readonly Effect[]; world: World },
): readonly Effect[] {
  const { cluster } = world
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
