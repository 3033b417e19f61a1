import { attachedServerOf, type Tier, tiers } from 'protocol'
import type { Finding } from '../../lib/strict-yaml.ts'
import { approverRoles, ScopeForm, scopeKinds } from './roles-schema.ts'
import { PolicyRule, someTools } from './schema.ts'
import type { ArgumentType, Tools } from './shipped.ts'
import { workbenchProblems } from './workbench.ts'

/** Finds problems that the schema cannot find: unknown tools and arguments, lowered tiers. Skips parts that do not fit the schema. */
export function crossProblems(given: unknown, tools: Tools): Finding[] {
  const file = recordOf(given)
  const rules = listOf(file.rules)
  return [
    ...(file.profile === undefined ? [] : [profileElsewhere]),
    ...Object.keys(recordOf(file.tiers)).flatMap((tool) => tierProblems(tool, recordOf(file.tiers)[tool], tools)),
    ...rules.flatMap((rule, index) => ruleProblems(rule, index, tools)),
    ...rules.flatMap((rule, index) => repeatedName(rules, rule, index)),
    ...rules.flatMap(proofProblems),
    ...rules.flatMap((rule, index) => approveProblems(rule, index)),
    ...Object.entries(recordOf(file.roles)).flatMap(([role, scopes]) =>
      listOf(scopes).flatMap((scope, index) => scopeProblems(scope, ['roles', role, index], tools)),
    ),
    ...listOf(file.allow).flatMap((entry, index) => allowProblems(entry, index, tools)),
    ...listOf(file.enable).flatMap((name, index): Finding[] => {
      const where = { path: ['enable', index] }
      if (typeof name !== 'string' || !tools.has(name)) return unknownTool(name, where, tools)
      return tools.get(name)?.isOptIn
        ? []
        : [{ ...where, message: `${name} is offered already: there is nothing to enable` }]
    }),
    ...Object.keys(recordOf(recordOf(file.limits).rates)).flatMap((tool) =>
      unknownTool(tool, { path: ['limits', 'rates'], key: tool }, tools),
    ),
    ...workbenchProblems(file.workbench),
  ]
}
const profileElsewhere: Finding = {
  path: [],
  key: 'profile',
  message: 'is set with npm run jarvis -- profile NAME, or in the dashboard',
}

const recordOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
const rank = (tier: unknown) => tiers.indexOf(tier as Tier)

const unknownTool = (name: unknown, where: Pick<Finding, 'path' | 'key'>, tools: Tools): Finding[] =>
  typeof name !== 'string' || tools.has(name) || attachedServerOf(name) !== undefined
    ? []
    : [{ ...where, message: `names no tool: there is no ${name}. Tools: ${[...tools.keys()].join(', ')}` }]

function tierProblems(tool: string, tier: unknown, tools: Tools): Finding[] {
  const where = { path: ['tiers'], key: tool }
  const own = tools.get(tool)?.tier
  if (own === undefined) return unknownTool(tool, where, tools)
  if (rank(tier) >= rank(own) || rank(tier) < 0) return []
  return [{ ...where, message: `cannot be ${String(tier)}: the tool is ${own}, and this file only raises. ${wayDown}` }]
}
const wayDown = 'To let a red tool go without a card for one guest, name it under allow: {tool, target, because}'

function ruleProblems(given: unknown, index: number, tools: Tools): Finding[] {
  const parsed = PolicyRule.safeParse(given)
  if (!parsed.success) return []
  const { tools: names, effect, on, tier, when } = parsed.data
  const path = ['rules', index]
  if (names === undefined && effect === undefined && on === undefined)
    return [{ path: [...path, 'tools'], message: `is missing; it ${someTools}, or give effect: or on:` }]
  const listed = names === 'all' || names === undefined ? [] : names
  const meant = listed.length === 0 ? [...tools.values()] : listed.flatMap((name) => tools.get(name) ?? [])
  return [
    ...listed.flatMap((name, at) => unknownTool(name, { path: [...path, 'tools', at] }, tools)),
    ...listed.flatMap((name, at): Finding[] => {
      const own = tools.get(name)?.tier
      return own === undefined || tier === 'observed' || rank(tier) >= rank(own)
        ? []
        : [
            {
              path: [...path, 'tools', at],
              message: `is ${own} already, and a rule only raises: ${tier} would do nothing. ${wayDown}`,
            },
          ]
    }),
    // The arguments of an attached tool are known only while its server is attached, so they are not checked here.
    ...Object.entries(listed.some(attachedServerOf) ? {} : (when?.args ?? {})).flatMap(
      ([name, condition]): Finding[] => {
        const where = { path: [...path, 'when', 'args'], key: name }
        if (name === 'node') return [{ ...where, message: 'can be left out of a call; write when: {node: …} instead' }]
        const types = new Set(meant.flatMap(({ args }) => (Object.hasOwn(args, name) ? [args[name]] : [])))
        const [type] = types
        if (type === undefined) return [{ ...where, message: `is no argument of ${listed.join(', ') || 'any tool'}` }]
        const values = Array.isArray(condition) ? condition : Object.values(condition).flat()
        const fits =
          values.every((value) => types.has(typeof value as ArgumentType)) &&
          (Array.isArray(condition) || type === 'string')
        return fits ? [] : [{ ...where, message: `takes ${example[type]}` }]
      },
    ),
  ]
}
const example: Record<ArgumentType, string> = {
  string: 'text; put it in quotes',
  number: 'a number, for example 105',
  boolean: 'true or false',
}

function repeatedName(rules: unknown[], rule: unknown, index: number): Finding[] {
  const { name } = recordOf(rule)
  const isFirst = rules.findIndex((other) => recordOf(other).name === name) === index
  return name === undefined || isFirst
    ? []
    : [{ path: ['rules', index, 'name'], message: 'is the name of a rule before; choose another' }]
}

function proofProblems(given: unknown, index: number): Finding[] {
  const parsed = PolicyRule.safeParse(given)
  if (!parsed.success || parsed.data.proof !== 'passkey' || parsed.data.tier === 'red') return []
  const message = `says that a card is signed, and this rule is ${parsed.data.tier}: only a rule of tier red asks`
  return [{ path: ['rules', index, 'proof'], message }]
}

function approveProblems(given: unknown, index: number): Finding[] {
  const parsed = PolicyRule.safeParse(given)
  if (!parsed.success || parsed.data.approve === undefined) return []
  const path = ['rules', index, 'approve']
  const { tier, approve } = parsed.data
  if (tier !== 'red')
    return [{ path, message: `says who approves a card, and this rule is ${tier}: only a rule of tier red asks` }]
  const stranger = approve.by?.find((name) => !approverRoles.includes(name))
  return stranger === undefined
    ? []
    : [
        {
          path: [...path, 'by'],
          message: `names ${stranger}, which may approve nothing or is no role. Roles: ${approverRoles.join(', ')}`,
        },
      ]
}

function scopeProblems(given: unknown, path: (string | number)[], tools: Tools): Finding[] {
  const parsed = ScopeForm.safeParse(given)
  if (!parsed.success) return []
  const { may, tools: names = [], tiers: of, on } = parsed.data
  if (may === undefined && names.length === 0 && of === undefined)
    return [{ path, message: `does not say what may be done: give ${scopeKinds}` }]
  const guests = on === 'all' ? [] : on.filter((target) => /^(?:vm|ct)\//.test(target))
  return names.flatMap((name): Finding[] => {
    const where = { path: [...path, 'tools'] }
    const type = tools.get(name)?.touches.find(({ on: thing }) => thing === 'guest')?.type
    const isOther = type !== undefined && guests.length > 0 && guests.length === on.length
    if (!isOther || guests.some((target) => target.startsWith(`${type}/`))) return unknownTool(name, where, tools)
    return [{ ...where, message: `names ${name}, which works on ${type}/ID and not on ${guests.join(', ')}` }]
  })
}

function allowProblems(given: unknown, index: number, tools: Tools): Finding[] {
  const { tool, target } = recordOf(given)
  const where = { path: ['allow', index, 'tool'] }
  if (typeof tool !== 'string') return []
  const own = tools.get(tool)
  if (own === undefined) {
    return attachedServerOf(tool) === undefined
      ? unknownTool(tool, where, tools)
      : [{ ...where, message: `${tool} acts on no guest; its tier is set in the dashboard` }]
  }
  if (own.tier !== 'red') return [{ ...where, message: `${tool} is ${own.tier}: there is nothing to allow` }]
  const type = own.touches.find(({ on }) => on === 'guest')?.type
  if (type === undefined) return []
  return typeof target === 'string' && /^(?:vm|ct)\//.test(target) && !target.startsWith(`${type}/`)
    ? [{ path: ['allow', index, 'target'], message: `is not what ${tool} works on; it takes ${type}/ID` }]
    : []
}
