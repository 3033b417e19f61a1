import { usualTier } from '../decide.ts'
import { approveWords } from '../roles/approve.ts'
import type { Policy, Rate } from '../world.ts'
import { aboutWords } from './about.ts'
import { profiles } from './profile.ts'
import { rateOfChanges, type Tools } from './shipped.ts'
import { workbenchLines } from './workbench.ts'

const perWords = (perMs: number) =>
  perMs === 60_000 ? 'a minute' : perMs === 3_600_000 ? 'an hour' : `${perMs / 1000} s`
const rateWords = (rates: readonly Rate[]) =>
  rates.map(({ calls, perMs }) => `${calls} in ${perWords(perMs)}`).join(' and ')
const list = (items: Iterable<string>) => [...items].join(', ')

export const signedWords = {
  session: 'none',
  heavy: 'those that destroy, give access, or turn a node off',
  passkey: 'all',
} as const

/** Describes the whole policy in force for a person, line by line. */
export function policyLines(policy: Policy, tools: Tools): string[] {
  const { rates, breaker } = policy.limits
  const { jarvis, groups = {}, roles = {}, ...places } = policy.topology
  return [
    `Profile ${policy.profile}: ${profiles[policy.profile].description}`,
    '',
    'Tools where no rule raises them',
    ...[...tools].map(
      ([toolName, { tier }]) => `  ${usualTier({ toolName, baseTier: tier }, policy).padEnd(6)}  ${toolName}`,
    ),
    '',
    'Rules',
    ...policy.rules.map(
      ({ name, tools, effects, tier, because, approve, proof }) =>
        `  ${tier.padEnd(6)}  ${name} (${aboutWords({ tools, effects })})${typeof because === 'string' ? `: ${because}` : ''}${approve === undefined ? '' : ` Takes ${approveWords(approve)}.`}${proof === undefined ? '' : ' Its cards must be signed.'}`,
    ),
    '',
    ...policy.observed.map(
      ({ name, tools, effects, because }) =>
        `Told when it runs: ${name} (${aboutWords({ tools, effects })}): ${String(because)}`,
    ),
    `Cards that must be signed: ${signedWords[policy.proof]}`,
    'Roles',
    ...[...policy.roles.values()].map(({ name, sentences }) => `  ${name}: ${sentences.join(' ')}`),
    '',
    ...(policy.mayBreakGlass ? ['An owner may decide alone what several people must approve, with a reason.'] : []),
    `Protected: ${list(policy.protectedTargets) || 'nothing'}`,
    ...policy.allow.map(({ tool, target, because }) => `Allowed without a card: ${tool} on ${target}: ${because}`),
    ...(policy.enabled.size === 0 ? [] : [`Enabled, and asked for each time: ${list(policy.enabled)}`]),
    ...(policy.hosts.size === 0 ? [] : [`Reads over SSH may reach out to: ${list(policy.hosts)}`]),
    '',
    'Limits',
    `  any tool that changes something: ${rateWords([rateOfChanges])}`,
    ...[...rates].map(([tool, all]) => `  ${tool}: ${rateWords(all)}`),
    `  a tool that failed ${breaker.failures} times in ${perWords(breaker.withinMs)} rests for ${perWords(breaker.pauseMs)}`,
    '',
    'Topology',
    ...(jarvis === undefined ? [] : [`  JARVIS runs on ${jarvis}`]),
    ...Object.entries(places).map(([role, targets]) => `  ${role}: ${list(targets ?? [])}`),
    ...Object.entries(roles).map(([node, role]) => `  node ${node} is for: ${role}`),
    ...Object.entries(groups).map(([name, guests]) => `  group ${name}: ${list(guests)}`),
    ...(Object.keys(policy.topology).length === 0 ? ['  what the cluster and its names tell'] : []),
    '',
    'Workbench',
    ...(workbenchLines(policy.workbench).length === 0 ? ['off'] : workbenchLines(policy.workbench)).map(
      (line) => `  ${line}`,
    ),
  ]
}
