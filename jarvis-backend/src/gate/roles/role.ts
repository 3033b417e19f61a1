import type { Tier } from 'protocol'
import type { Effect } from '../effect.ts'
import { viewsOf } from '../marks.ts'
import { conditionOf } from '../policy/conditions.ts'
import type { builtInRoleNames, MayWord, ScopeForm } from '../policy/roles-schema.ts'
import type { PolicyFile } from '../policy/schema.ts'
import { rank, stricter } from '../tiers.ts'
import type { Call, Role, RoleScope, World } from '../world.ts'
import { scopeSentence } from './words.ts'

const everything: ScopeForm = { tiers: ['green', 'yellow', 'red'], on: 'all' }
/** The built-in roles, in the form of policy.yaml. Routes declare additional rights. */
export const builtInRoles: Readonly<Record<(typeof builtInRoleNames)[number], readonly ScopeForm[]>> = {
  owner: [everything],
  operator: [everything],
  viewer: [{ may: ['read'], on: 'all' }],
}

/** All roles by name: the built-in roles and the roles of the file. */
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

function compiled({ may, tools, tiers, on, hours, days }: ScopeForm, timezone: PolicyFile['timezone']): RoleScope {
  const holds = conditionOf({ ...(on !== 'all' && { target: on }), hours, days }, timezone)
  return {
    // A call on many objects may have an effect without a target. Only a scope on `all` covers it.
    reaches: (facts) => holds(facts) && (on === 'all' || facts.target.kind !== 'none'),
    allows: ({ toolName }, effect, tier) =>
      // A person who may change an object may also look at it.
      (effect.kind === 'read' && effect.target.kind !== 'none') ||
      ((may === undefined || may.some((word) => isMeant(word, effect))) &&
        (tools === undefined || tools.includes(toolName)) &&
        (tiers === undefined || tiers.some((one) => one === tier))),
  }
}

const isMeant = (word: MayWord, { kind, action }: Effect): boolean =>
  word === kind || (kind === 'power' && word === action)

/** The rule of a call that no scope of the asker's role covers. */
export const notYours = 'not_yours'

/**
 * Returns the first effect that no scope of the role covers; undefined if all are covered.
 * @param tier the tier of the call's verdict. The tool's own tier counts if it is stricter, even if a profile or `allow` lowered the verdict
 */
export function beyondRole(
  { scopes, isWhole }: Role,
  { call, effects, tier }: { call: Call; effects: readonly Effect[]; tier: Tier },
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

/** Returns the reason for refusing a call that no scope covers. It reveals nothing about the call's target. */
export function notYoursReason({ name, sentences }: Role): string {
  const more = sentences.length - mostSentences
  const told = sentences.slice(0, mostSentences).join(' ')
  return `This is not yours. Your role ${name}: ${told}${more > 0 ? ` And ${more} more.` : ''}`
}

/** Returns the reason for refusing a call of a person whose role no longer exists. */
export const roleGone = (name: string): string =>
  `This is not yours: the role ${name} is not in policy.yaml, so it may do nothing. Ask an owner.`
