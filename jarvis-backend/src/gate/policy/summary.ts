import { attachedServerOf } from 'protocol'
import type { Thing } from '../effect.ts'
import type { EffectKind, FormerKind } from '../effect-kinds.ts'
import { approveOf, approveWords } from '../roles/approve.ts'
import { scopeSentence } from '../roles/words.ts'
import { aboutWords } from './about.ts'
import { touchesOf } from './compile.ts'
import { signedWords } from './print.ts'
import type { PolicyFile } from './schema.ts'
import type { Tools } from './shipped.ts'
import { workbenchLines, workbenchOf } from './workbench.ts'

const counted = (count: number, one: string, many = `${one}s`) => `${count} ${count === 1 ? one : many}`

/** Counts the additions of a policy in one line: `2 rules, 1 protected target`. */
export function summaryOf(file: PolicyFile): string {
  const counts: [number, string, string?][] = [
    [Object.keys(file.tiers ?? {}).length, 'tier'],
    [file.protected?.length ?? 0, 'protected target'],
    [file.rules?.length ?? 0, 'rule'],
    [file.ssh?.refuse?.length ?? 0, 'refused command'],
    [file.ssh?.hosts?.length ?? 0, 'known host'],
    [file.allow?.length ?? 0, 'allow entry', 'allow entries'],
    [file.enable?.length ?? 0, 'enabled tool'],
    [Object.keys(file.roles ?? {}).length, 'role'],
    [file.proof === undefined ? 0 : 1, 'word on signatures', 'words on signatures'],
    [Object.keys(file.limits?.rates ?? {}).length + (file.limits?.breaker === undefined ? 0 : 1), 'limit'],
    [Object.keys(file.topology ?? {}).length, 'fact of topology', 'facts of topology'],
    [workbenchLines(workbenchOf(file.workbench)).length, 'line on the workbench', 'lines on the workbench'],
  ]
  const some = counts.filter(([count]) => count > 0)
  return some.length === 0 ? 'it adds nothing' : some.map(([count, one, many]) => counted(count, one, many)).join(', ')
}

/** Returns the tools of attached MCP servers that a policy names. Only a running JARVIS knows if these tools exist. */
export function attachedToolsIn({ tiers = {}, rules = [], roles = {}, limits }: PolicyFile): string[] {
  const named = [
    ...Object.keys(tiers),
    ...rules.flatMap(({ tools }) => (Array.isArray(tools) ? tools : [])),
    ...Object.values(roles).flatMap((scopes) => scopes.flatMap((scope) => scope.tools ?? [])),
    ...Object.keys(limits?.rates ?? {}),
  ]
  return [...new Set(named)].filter((name) => attachedServerOf(name) !== undefined)
}

/** Describes a policy's changes, one line each, for a person who is about to use the policy. */
export function changesOf(file: PolicyFile, tools: Tools): string[] {
  const { rates = {}, breaker } = file.limits ?? {}
  const { groups = {}, jarvis, roles = {}, ...places } = file.topology ?? {}
  return [
    ...Object.entries(file.tiers ?? {}).map(
      ([tool, tier]) => `${tool}: ${tools.get(tool)?.tier ?? 'its tier'} becomes ${tier}`,
    ),
    ...(file.protected ?? []).map((target) => `${target}: nothing may change it`),
    ...Object.entries(file.roles ?? {}).map(([role, scopes]) => `role ${role}: ${scopes.map(scopeSentence).join(' ')}`),
    ...(file.proof === undefined ? [] : [`cards that must be signed: ${signedWords[file.proof]}`]),
    ...(file.rules ?? []).map(({ name, tools, effect, on, tier, because, approve, proof }) =>
      tier === 'observed'
        ? `rule ${name}: you are told when ${ruleWords(tools, effect, on)} runs: ${because}`
        : `rule ${name}: ${ruleWords(tools, effect, on)} may become ${tier}: ${because}${approve === undefined ? '' : ` Takes ${approveWords(approveOf(approve))}.`}${proof === 'passkey' ? ' Its cards must be signed.' : ''}`,
    ),
    ...(file.ssh?.refuse ?? []).map(({ command, because }) => `over SSH, ${command} is refused: ${because}`),
    ...(file.ssh?.hosts ?? []).map((host) => `over SSH, a read may reach out to ${host} without a card`),
    ...(file.allow ?? []).map(
      ({ tool, target, because }) => `${tool} on ${target} runs without a card where no rule objects: ${because}`,
    ),
    ...(file.enable ?? []).map((tool) => `${tool} is no longer refused, and asks each time`),
    ...Object.entries(rates).map(
      ([tool, { calls, perMs }]) => `${tool}: at most ${calls} calls in ${perMs === 60_000 ? 'a minute' : 'an hour'}`,
    ),
    ...(file.breakGlass === true ? ['an owner may decide alone, with a reason, what several people must approve'] : []),
    ...(breaker === undefined ? [] : ['a tool that keeps failing is left alone sooner or longer']),
    ...(jarvis === undefined ? [] : [`JARVIS runs on ${jarvis}`]),
    ...Object.entries(places).map(([role, targets]) => `${role}: ${targets?.join(', ')}`),
    ...Object.entries(roles).map(([node, role]) => `node ${node} is for: ${role}`),
    ...Object.entries(groups).map(([name, guests]) => `group ${name}: ${guests.join(', ')}`),
    ...workbenchLines(workbenchOf(file.workbench)).map((line) => `workbench: ${line}`),
  ]
}

function ruleWords(
  tools: 'all' | readonly string[] | undefined,
  effect: readonly (EffectKind | FormerKind)[] | undefined,
  on: readonly Thing[] | undefined,
): string {
  const effects = effect === undefined && on === undefined ? {} : { effects: touchesOf(effect, on) }
  const words = aboutWords({ ...(Array.isArray(tools) && { tools }), ...effects })
  return words === 'all' ? 'every tool' : words
}
