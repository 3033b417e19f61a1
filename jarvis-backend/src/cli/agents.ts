import { existsSync, readFileSync } from 'node:fs'
import { JarvisError } from 'protocol'
import type { Agent } from '../agents/agent.ts'
import { type Arrival, chosenFor } from '../agents/bindings.ts'
import { type Known, parseAgents } from '../agents/file.ts'
import { agentsFile } from '../config/agents-file.ts'
import type { Config } from '../config/config.ts'
import { idOf } from '../config/model.ts'
import { houseTools } from '../tools/house.ts'
import type { Input } from './options.ts'

const usage = 'Use agents, agents check [FILE], or agents which --door dashboard|mcp|job|channel|v1 [--person NAME …].'

/** `jarvis agents`: lists the agents of `agents.yaml`, reports the problems of a file, or tells which agent would answer a message. */
export async function agents(
  config: Config,
  {
    positionals,
    values,
  }: Input<{
    door?: string
    person?: string
    token?: string
    job?: string
    channel?: string
    account?: string
    chat?: string
  }>,
): Promise<void> {
  const [action = 'list', given] = positionals
  const known: Known = {
    tools: houseTools.map(({ name }) => name),
    models: config.models.length === 0 ? ['demo'] : config.models.map(idOf),
  }
  const file = given ?? agentsFile(config.dataDir).path
  if (!['list', 'check', 'which'].includes(action)) throw new JarvisError('invalid_request', usage)
  if (given !== undefined && !existsSync(given)) throw new JarvisError('not_found', `There is no file ${given}.`)
  const parsed = parseAgents(existsSync(file) ? readFileSync(file, 'utf8') : '', known)
  if (!parsed.ok) {
    console.log(parsed.problems.map(({ line, column, message }) => `${file}:${line}:${column}  ${message}`).join('\n'))
    process.exitCode = 1
    return
  }
  for (const warning of parsed.warnings) console.log(warning)
  if (action === 'which') console.log(whichWords(parsed.agents, values))
  else console.log(parsed.agents.map(lineOf).join('\n'))
}

const lineOf = ({ id, about, ceiling, memory, model, tools = {}, bindings }: Agent) =>
  [
    `${id}  at most ${ceiling}, memory ${memory}, ${model ?? 'the model in use'}${about === '' ? '' : `: ${about}`}`,
    ...(tools.allow ? [`  may use ${tools.allow.join(', ')}`] : []),
    ...(tools.deny ? [`  may not use ${tools.deny.join(', ')}`] : []),
    ...bindings.map((binding, at) => `  binding ${at + 1}: ${wordsOf(binding)}`),
  ].join('\n')

const wordsOf = (fields: object) =>
  Object.entries(fields)
    .map(([field, value]) => `${field} ${value}`)
    .join(', ')

function whichWords(all: readonly Agent[], values: Partial<Record<string, string>>): string {
  const { door = 'dashboard' } = values
  if (!['dashboard', 'mcp', 'job', 'channel', 'v1'].includes(door)) throw new JarvisError('invalid_request', usage)
  const [first, ...others] = chosenFor(all, { ...values, door } as Arrival)
  const by = first.binding === undefined ? 'no binding fits' : `binding ${first.number}: ${wordsOf(first.binding)}`
  return [`${first.agent}, ${by}.`, ...others.map(({ agent }) => `Then ${agent}.`)].join('\n')
}
