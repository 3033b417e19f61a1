import type { ProfileName, Tier } from 'protocol'
import { commandWords } from 'ssh-grammar/command-words'
import type { Thing, Touch } from '../effect.ts'
import type { EffectKind, FormerKind } from '../effect-kinds.ts'
import { approveOf } from '../roles/approve.ts'
import { rolesOf } from '../roles/role.ts'
import type { Policy, Reader, Readers, Rule } from '../world.ts'
import { conditionOf, marksIn } from './conditions.ts'
import type { PolicyFile, PolicyRule } from './schema.ts'
import { shippedPolicy } from './shipped.ts'
import { workbenchOf } from './workbench.ts'

/** Adds the operator's rules and targets to the shipped policy. They cannot replace a shipped rule. */
export function compilePolicy(added: {
  file?: PolicyFile
  /** Targets that the environment protects. */
  protectedTargets?: ReadonlySet<string>
  profile?: ProfileName
}): Policy {
  const { file = {}, protectedTargets = [], profile = shippedPolicy.profile } = added
  const { tiers, limits, breaker } = {
    tiers: file.tiers ?? {},
    limits: shippedPolicy.limits,
    breaker: file.limits?.breaker,
  }
  const rates = new Map(limits.rates)
  for (const [tool, rate] of Object.entries(file.limits?.rates ?? {}))
    rates.set(tool, [...(rates.get(tool) ?? []), rate])
  const { jarvis, dns, gateway, storage, roles, groups } = file.topology ?? {}
  return {
    tiers: new Map(Object.entries(tiers)),
    rules: [...shippedPolicy.rules, ...rulesOf(file)],
    observed: [...shippedPolicy.observed, ...observedIn(file)],
    protectedTargets: new Set([...protectedTargets, ...(file.protected ?? [])].map((target) => target.toLowerCase())),
    allow: file.allow ?? [],
    enabled: new Set(file.enable ?? []),
    hosts: new Set((file.ssh?.hosts ?? []).map((host) => host.toLowerCase())),
    roles: rolesOf(file),
    mayBreakGlass: file.breakGlass ?? false,
    proof: file.proof ?? shippedPolicy.proof,
    profile,
    limits: {
      rates,
      breaker: {
        failures: breaker?.failures ?? limits.breaker.failures,
        withinMs: breaker?.within ?? limits.breaker.withinMs,
        pauseMs: breaker?.pause ?? limits.breaker.pauseMs,
      },
    },
    topology: {
      ...(jarvis !== undefined && { jarvis }),
      ...(dns !== undefined && { dns }),
      ...(gateway !== undefined && { gateway }),
      ...(storage !== undefined && { storage }),
      ...(roles !== undefined && { roles }),
      ...(groups !== undefined && { groups }),
    },
    readers: readersOf(file),
    workbench: workbenchOf(file.workbench),
  }
}

/** Returns every combination of the kinds and objects. An empty list matches any. A former kind gives a touch that no effect matches. */
export const touchesOf = (
  kinds: readonly (EffectKind | FormerKind)[] = [],
  things: readonly Thing[] = [],
): Partial<Touch>[] =>
  (kinds.length === 0 ? [{}] : kinds.map((kind) => ({ kind: kind as EffectKind }))).flatMap((kind) =>
    things.length === 0 ? [kind] : things.map((on) => ({ ...kind, on })),
  )

/** The prefix distinguishes the operator's rules from shipped rules of the same name. */
const ownRuleName = (name: string) => `policy:${name}`
export const isOwnRule = (name: string): boolean => name.startsWith('policy:')

/** Compiles a rule of the file for the gate. @param tier the tier to which the rule raises a call */
function compiled(
  { name, tools, effect, on, when, because, approve, proof }: PolicyRule,
  tier: Tier,
  timezone: PolicyFile['timezone'],
) {
  return {
    name: ownRuleName(name),
    ...(Array.isArray(tools) && { tools }),
    ...((effect ?? on) !== undefined && { effects: touchesOf(effect, on) }),
    tier,
    because,
    when: conditionOf(when, timezone),
    ...(approve && { approve: approveOf(approve) }),
    ...(proof === 'passkey' && { proof }),
  }
}

/** Returns the rules and roles of the file, by the guests' marks that they use. */
function readersOf({ rules = [], roles = {} }: PolicyFile): Readers {
  const all = [
    ...rules.map(({ name, when }) => ({ words: `the rule ${name}`, rule: ownRuleName(name), marks: marksIn(when) })),
    ...Object.entries(roles).flatMap(([role, scopes]) =>
      scopes.map(({ on }) => ({ words: `the role ${role}`, marks: on === 'all' ? [] : marksIn({ target: on }) })),
    ),
  ]
  const readers = new Map<string, Reader[]>()
  for (const { marks, ...reader } of all)
    for (const mark of marks) readers.set(mark, [...(readers.get(mark) ?? []), reader])
  return readers
}

const observedIn = ({ rules = [], timezone }: PolicyFile): Rule[] =>
  rules.filter(({ tier }) => tier === 'observed').map((rule) => compiled(rule, 'green', timezone))

function rulesOf({ rules = [], ssh, timezone }: PolicyFile): Rule[] {
  const own = rules.flatMap((rule) => (rule.tier === 'observed' ? [] : [compiled(rule, rule.tier, timezone)]))
  const refusals = (ssh?.refuse ?? []).map(({ command, because }): Rule => {
    const wanted = command.toLowerCase().split(/\s+/)
    return {
      name: ownRuleName('ssh'),
      effects: [{ kind: 'execute' }],
      tier: 'black',
      because,
      when: ({ effect: { executes } }) =>
        executes !== undefined &&
        commandWords(executes.text).some((words) =>
          wanted.every((word, index) => words[index]?.toLowerCase() === word),
        ),
    }
  })
  return [...own, ...refusals]
}
