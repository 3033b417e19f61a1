import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { nearestName } from 'node-kit/nearest'
import { JarvisError, type ToolInfo, type ToolInput } from 'protocol'
import type { Config } from '../config/config.ts'
import { exitCodes } from './exit-codes.ts'
import { type Input, shortMs, usualWaitMs } from './options.ts'
import { reach } from './remote/reach.ts'
import { type Remote, ServerRefused } from './remote/remote.ts'
import { markOf, styleFor } from './terminal/style.ts'
import { visible, visibleLines } from './terminal/visible.ts'

/** `jarvis call`: calls a tool as a program does over MCP: through the gate, without a model. A red call waits for a person. */
export async function call(
  config: Config,
  {
    values,
    positionals,
  }: Input<{ url?: string; json?: boolean; 'dry-run'?: boolean; wait?: string; 'no-wait'?: boolean }>,
): Promise<void> {
  const [name, ...given] = positionals
  if (name === undefined)
    throw new JarvisError(
      'invalid_request',
      'Use call TOOL key=value, as in: call get_node_status node=pve. jarvis tools lists them.',
    )
  const waitMs =
    values['no-wait'] === true ? 0 : values.wait === undefined ? usualWaitMs : shortMs('--wait', values.wait)
  const remote = await reach(config, values.url)
  const tool = await remote.call('GET /api/tools/:name', { params: { name } }).catch(async (error: unknown) => {
    throw error instanceof ServerRefused && error.code === 'not_found' ? await unknownTool(remote, name) : error
  })
  const input = inputOf(tool, given)
  const style = styleFor(process.stderr)
  if (values['dry-run'] === true) {
    const said = await remote.call('POST /api/tools/:name/classify', { params: { name }, body: { input } })
    console.error(`${markOf(said.tier, style)}${visible(said.reason)}`)
    if (values.json === true) console.log(JSON.stringify(said, null, 2))
    else
      for (const line of [said.preview?.now, said.preview?.then, said.preview?.undo.sentence])
        if (line !== undefined) console.log(visible(line))
    process.exitCode = said.tier === 'black' ? exitCodes.refused : exitCodes.done
    return
  }
  const came = await outcomeOf(remote, { name, input }, waitMs)
  const { state, text, id } = came
  if (values.json === true) console.log(JSON.stringify({ tool: name, tier: tool.tier, ...came }, null, 2))
  else if (state === 'done') console.log(visibleLines(text))
  else console.error(visibleLines(text))
  if (id !== undefined && (state === 'waiting' || state === 'running')) console.error(`  jarvis decide ${id}`)
  process.exitCode = exitOf[state]
}

async function unknownTool(remote: Remote, name: string): Promise<JarvisError> {
  const { items } = await remote.call('GET /api/tools')
  const near = nearestName(
    name,
    items.map((tool) => tool.name),
  )
  const meant = near === undefined ? '' : ` Did you mean ${near}?`
  return new JarvisError('invalid_request', `There is no tool ${name}.${meant} jarvis tools lists them.`)
}

type State = 'done' | 'failed' | 'refused' | 'denied' | 'expired' | 'withdrawn' | 'waiting' | 'running'
type Came = { state: State; text: string; id?: string; data?: unknown }

const exitOf: Record<State, number> = {
  done: exitCodes.done,
  failed: exitCodes.failed,
  waiting: exitCodes.waits,
  running: exitCodes.waits,

  refused: exitCodes.refused,
  denied: exitCodes.refused,
  expired: exitCodes.refused,
  withdrawn: exitCodes.refused,
}

/**
 * Converts arguments to the types of the tool's schema: `vmid=101` is a number if the schema asks for a number. @throws JarvisError
 * `invalid_request`
 */
export function inputOf(
  { name, inputSchema }: Pick<ToolInfo, 'name' | 'inputSchema'>,
  given: readonly string[],
): ToolInput {
  const { properties = {} } = inputSchema as { properties?: Record<string, { type?: string }> }
  const input: ToolInput = {}
  for (const one of given) {
    const [, key, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(one) ?? []
    if (key === undefined || value === undefined)
      throw new JarvisError('invalid_request', `${one}: write arguments as key=value, such as vmid=101.`)
    if (!Object.hasOwn(properties, key))
      throw new JarvisError(
        'invalid_request',
        `${name} has no argument ${key}; it has ${Object.keys(properties).join(', ') || 'none'}.`,
      )
    if (Object.hasOwn(input, key)) throw new JarvisError('invalid_request', `${key} is given twice.`)
    input[key] = properties[key]?.type === 'string' ? value : jsonOr(value)
  }
  return input
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const version = '2026-07-28'
const pollMs = 1_000

/** Makes the call. If a card waits, asks for the outcome until `waitMs` are over. */
async function outcomeOf(
  remote: Remote,
  { name, input }: { name: string; input: ToolInput },
  waitMs: number,
): Promise<Came> {
  const first = await mcpCall(remote, name, input)
  const waits = first.structuredContent as { state?: unknown; id?: unknown } | undefined
  if (waits?.state !== 'waiting' || typeof waits.id !== 'string') {
    const text = textOf(first)
    if (first.isError !== true) return { state: 'done', text, data: waits }
    // The gate's texts about calls that it did not run begin with these words.
    return { state: /^Blocked|Nothing was run|^Refused/.test(text) ? 'refused' : 'failed', text }
  }
  const { id } = waits
  console.error(`${name} waits for a person:\n  jarvis decide ${id}`)
  const until = Date.now() + waitMs
  for (;;) {
    const { structuredContent } = await mcpCall(remote, 'get_confirmation', { id })
    const { state, result, note, data } = structuredContent as {
      state: State
      result?: string
      note?: string
      data?: unknown
    }
    const isOpen = state === 'waiting' || state === 'running'
    if (!isOpen || Date.now() >= until) return { state, id, text: result ?? note ?? wordsOf[state] ?? state, data }
    await sleep(Math.min(pollMs, Math.max(1, until - Date.now())))
  }
}

const wordsOf: Partial<Record<State, string>> = {
  denied: 'The operator denied it. Nothing was run.',
  expired: 'Nobody decided in time. Nothing was run.',
  withdrawn: 'It was withdrawn. Nothing was run.',
  waiting: 'It waits for a person.',
  running: 'It was approved and runs.',
}

type McpResult = { content?: { type: string; text?: string }[]; structuredContent?: unknown; isError?: boolean }

const textOf = ({ content = [] }: McpResult) => content.flatMap(({ text }) => text ?? []).join('\n')

async function mcpCall(remote: Remote, name: string, input: ToolInput): Promise<McpResult> {
  const me = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: 'jarvis call', version: '1' },
  }
  const _meta = { ...me, 'io.modelcontextprotocol/clientCapabilities': {}, 'jarvis/confirmation': 'pending' }
  return remote.mcp<McpResult>(
    { jsonrpc: '2.0', id: randomUUID(), method: 'tools/call', params: { name, arguments: input, _meta } },
    { 'mcp-protocol-version': version, 'mcp-method': 'tools/call', 'mcp-name': name },
  )
}
