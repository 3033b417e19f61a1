import { nearestName } from 'node-kit/nearest'
import { AgentBinding, AgentBody, AgentId, attachedServerOf, BudgetLimits, mainAgentId } from 'protocol'
import { isMap, parseDocument } from 'yaml'
import { z } from 'zod'
import { type Finding, parseYaml, type YamlProblem } from '../lib/strict-yaml.ts'
import { type Agent, agentOf, fits } from './agent.ts'

/** The names that a file may use. `models` undefined: models are not checked. */
export type Known = { tools: readonly string[]; models?: readonly string[] }

/** `warnings`: names of attached tools that no server has now. */
export type ParsedAgents =
  | { ok: true; agents: readonly Agent[]; warnings: string[] }
  | { ok: false; problems: YamlProblem[] }

const mostAgents = 50
/** Keys that `main` may not have in this file, because only the policy limits `main`. */
const notOfMain = ['tools', 'ceiling', 'memory'] as const

const AgentsFile = z.strictObject(
  {
    agents: z
      .record(AgentId, AgentBody, 'is a list of agents by id')
      .refine((all) => Object.keys(all).length <= mostAgents, `are more than ${mostAgents}`)
      .default({}),
  },
  {
    error: ({ code }) =>
      code === 'unrecognized_keys' ? 'is not known here. Known: agents' : 'must be keys and values',
  },
)

/** Parses `agents.yaml`. Problems come in the order of lines. Main is always the first agent. Never throws. */
export function parseAgents(text: string, known: Known): ParsedAgents {
  const read = parseYaml(text, AgentsFile, (given) => findingsOf(given, known))
  if (!read.ok) return read
  const { [mainAgentId]: main = {}, ...others } = read.value.agents
  const agents = [agentOf(mainAgentId, main), ...Object.entries(others).map(([id, body]) => agentOf(id, body))]
  const warnings = agents.flatMap(({ id, tools = {} }) =>
    [...(tools.allow ?? []), ...(tools.deny ?? [])]
      .filter((pattern) => isAttached(pattern) && !known.tools.some((name) => fits(pattern, name)))
      .map((pattern) => `${id} names ${pattern}, and no attached server has such a tool now.`),
  )
  return { ok: true, agents, warnings }
}

const isAttached = (pattern: string) => attachedServerOf(pattern) !== undefined

const keysOf = (given: unknown): string[] => (isPlain(given) ? Object.keys(given) : [])
const isPlain = (given: unknown): given is Record<string, unknown> =>
  typeof given === 'object' && given !== null && !Array.isArray(given)

function findingsOf(given: unknown, known: Known): Finding[] {
  const all = isPlain(given) && isPlain(given.agents) ? given.agents : {}
  return [
    ...strays([], given, ['agents']),
    ...Object.entries(all).flatMap(([id, body]) => (isPlain(body) ? ofAgent(id, body, known) : [])),
  ]
}

function ofAgent(id: string, body: Record<string, unknown>, known: Known): Finding[] {
  const path = ['agents', id]
  const lists = isPlain(body.tools) ? body.tools : {}
  const names = ['allow', 'deny'].flatMap((list) => {
    const patterns = lists[list]
    return Array.isArray(patterns)
      ? patterns.map((pattern, at) => ({ pattern, path: [...path, 'tools', list, at] }))
      : []
  })
  return [
    ...strays(path, body, Object.keys(AgentBody.shape)),
    ...strays([...path, 'tools'], lists, ['allow', 'deny']),
    ...strays([...path, 'budget'], body.budget, [...Object.keys(BudgetLimits.shape), 'run']),
    ...strays([...path, 'budget', 'run'], runBudgetOf(body.budget), Object.keys(BudgetLimits.shape)),
    ...bindingsOf(path, body.bindings),
    ...(id === mainAgentId
      ? notOfMain.filter((key) => key in body).map((key) => ({ path, key, message: ofMainAlone }))
      : []),
    ...names.flatMap(({ pattern, path }) => (typeof pattern === 'string' ? toolFinding(pattern, path, known) : [])),
    ...modelFinding(body.model, [...path, 'model'], known),
  ]
}

const runBudgetOf = (budget: unknown) => (isPlain(budget) ? budget.run : undefined)

const ofMainAlone = 'is not for main: what main may not do nobody may, and policy.yaml says that'

const bindingsOf = (path: PropertyKey[], bindings: unknown): Finding[] =>
  Array.isArray(bindings)
    ? bindings.flatMap((binding, at) => strays([...path, 'bindings', at], binding, Object.keys(AgentBinding.shape)))
    : []

/** Returns a finding for each unknown key, with the known key that is most similar. */
const strays = (path: PropertyKey[], given: unknown, known: readonly string[]): Finding[] =>
  keysOf(given)
    .filter((key) => !known.includes(key))
    .map((key) => ({ path, key, message: `is not known here${meant(key, known)}. Known: ${known.join(', ')}` }))

function toolFinding(pattern: string, path: PropertyKey[], { tools }: Known): Finding[] {
  if (tools.some((name) => fits(pattern, name)) || isAttached(pattern)) return []
  return [{ path, message: `names no tool: ${JSON.stringify(pattern)}${meant(pattern, tools)}` }]
}

function modelFinding(model: unknown, path: PropertyKey[], { models }: Known): Finding[] {
  if (typeof model !== 'string' || models === undefined || models.includes(model)) return []
  return [
    {
      path,
      message: `is not configured: ${JSON.stringify(model)}${meant(model, models)}. There are: ${models.join(', ')}`,
    },
  ]
}

/** Returns the most similar known name, as the end of a sentence; empty if there is none. */
function meant(word: string, known: readonly string[]): string {
  const nearest = nearestName(word, known)
  return nearest === undefined ? '' : `; the nearest is ${nearest}`
}

/** Returns the file’s text with the agent added or changed or, if `body` is undefined, removed. Everything else stays, including comments. */
export function withAgent(text: string, id: string, body: AgentBody | undefined): string {
  const document = parseDocument(text.trim() === '' ? 'agents: {}\n' : text, { version: '1.2', schema: 'core' })
  if (body === undefined) document.deleteIn(['agents', id])
  else {
    if (!isMap(document.get('agents'))) document.set('agents', document.createNode({}))
    document.setIn(['agents', id], document.createNode(body))
  }
  const agents = document.get('agents')
  if (isMap(agents)) agents.flow = agents.items.length === 0
  return document.toString({ lineWidth: 0 })
}
