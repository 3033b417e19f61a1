import type { Tier } from 'protocol'
import type { Effect } from '../effect.ts'
import { viewsOf } from '../marks.ts'
import { conditionOf } from '../policy/conditions.ts'
import type { builtInRoleNames, MayWord, ScopeForm } from '../policy/roles-schema.ts'
import type { PolicyFile } from '../policy/schema.ts'
import type { Call, Facts } from '../rule.ts'
import { rank, stricter } from '../tiers.ts'
import type { World } from '../world.ts'
import { scopeSentence } from './words.ts'

/** What a person of a role may ask for: calls each of whose effects one scope covers. A scope lowers no tier. */
export type Role = {
  name: string
  /** Its scopes, a sentence each. */
  sentences: readonly string[]
  /** It covers whatever there is, so nothing has to be looked at. */
  isWhole: boolean
  scopes: readonly Scope[]
}
type Scope = {
  /** Whether the effect is where and when the scope holds. */
  reaches(facts: Facts): boolean
  /** Whether the scope is about such a call. */
  allows(call: Pick<Call, 'toolName'>, effect: Effect, tier: Tier): boolean
}

const everything: ScopeForm = { tiers: ['green', 'yellow', 'red'], on: 'all' }
/** The roles that are always there, in the form of policy.yaml. What else they may is said by the routes. */
export const builtInRoles: Readonly<Record<(typeof builtInRoleNames)[number], readonly ScopeForm[]>> = {
  owner: [everything],
  operator: [everything],
  viewer: [{ may: ['read'], on: 'all' }],
}

/** All roles by name: those that are always there, and those of the file. */
export const rolesOf = ({ roles = {}, timezone }: PolicyFile): ReadonlyMap<string, Role> =>
  new Map(
    [...Object.entries(builtInRoles), ...Object.entries(roles)].map(([name, scopes]) => [
      name,
      {
        name,
        sentences: scopes.map(scopeSentence),
        isWhole: scopes.includes(everything),
        scopes: scopes.map((scope) => compiled(scope, timezone)),
      },
    ]),
  )

function compiled({ may, tools, tiers, on, hours, days }: ScopeForm, timezone: PolicyFile['timezone']): Scope {
  const holds = conditionOf({ ...(on !== 'all' && { target: on }), hours, days }, timezone)
  return {
    // A call that reaches many things may have an effect on none of them, which no place covers.
    reaches: (facts) => holds(facts) && (on === 'all' || facts.target.kind !== 'none'),
    allows: ({ toolName }, effect, tier) =>
      // What may be acted upon may be looked at.
      (effect.kind === 'read' && effect.target.kind !== 'none') ||
      ((may === undefined || may.some((word) => isMeant(word, effect))) &&
        (tools === undefined || tools.includes(toolName)) &&
        (tiers === undefined || tiers.some((one) => one === tier))),
  }
}

const isMeant = (word: MayWord, { kind, action }: Effect): boolean =>
  word === kind || (kind === 'power' && word === action)

/** The rule of a call that is in no scope of the asker's role. */
export const notYours = 'not_yours'

/**
 * The first effect that no scope of the role covers; undefined where each is covered.
 * @param tier of the call by its verdict; the tool's own counts where it is stricter, whatever a profile or `allow` made of it
 */
export function beyondRole(
  { scopes, isWhole }: Role,
  call: Call,
  effects: readonly Effect[],
  tier: Tier,
  world: World,
): Effect | undefined {
  if (isWhole) return undefined
  const counted = rank(tier) === rank('black') ? call.baseTier : stricter(tier, call.baseTier)
  return viewsOf(effects, world).find(
    ({ effect, world: seen }) =>
      !scopes.some(
        (scope) =>
          scope.allows(call, effect, counted) && scope.reaches({ ...call, effect, target: effect.target, world: seen }),
      ),
  )?.effect
}

const mostSentences = 3

/** Why a call is refused whose effect no scope covers. It says nothing of the thing that the call is about. */
export function notYoursReason({ name, sentences }: Role): string {
  const more = sentences.length - mostSentences
  const told = sentences.slice(0, mostSentences).join(' ')
  return `This is not yours. Your role ${name}: ${told}${more > 0 ? ` And ${more} more.` : ''}`
}

/** The same where the role is not there any more. */
export const roleGone = (name: string): string =>
  `This is not yours: the role ${name} is not in policy.yaml, so it may do nothing. Ask an owner.`
