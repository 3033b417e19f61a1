import type { Tool as McpTool } from '@modelcontextprotocol/server'
import type { ApiToken } from '../../auth/api-tokens.ts'
import { type Catalog, inputSchemaOf, outputSchemaOf } from '../../tools/catalog.ts'
import type { Tool } from '../../tools/tool.ts'

/** Result of a call that waits for a person, for clients that cannot wait. */
const waitingSchema = {
  type: 'object',
  properties: { state: { const: 'waiting' }, id: { type: 'string' }, expiresAt: { type: 'integer' } },
  required: ['state', 'id'],
}

/** A tool for MCP clients that did not wait for a decision. Only these need it, so it is not in the catalog. */
export const getConfirmation: McpTool = {
  name: 'get_confirmation',
  title: 'See what became of a call that waits',
  description:
    'Tells what became of a call that answered that it waits for the operator, by the id it gave: `waiting`, `running`, `done` or `failed` with the result, or `denied`, `expired`, `withdrawn` or `refused` with the reason. Ask again every few seconds while it is `waiting` or `running`. It decides nothing.',
  inputSchema: {
    type: 'object',
    properties: { id: { type: 'string', minLength: 1, maxLength: 100, description: 'The id that the call gave.' } },
    required: ['id'],
    additionalProperties: false,
  },
  outputSchema: {
    type: 'object',
    properties: {
      state: { enum: ['waiting', 'running', 'done', 'failed', 'denied', 'expired', 'withdrawn', 'refused'] },
      id: { type: 'string' },
      toolName: { type: 'string' },
      expiresAt: { type: 'integer', description: 'Until when it can be decided, Unix ms.' },
      note: { type: 'string', description: 'The operator’s.' },
      result: { type: 'string' },
      data: { type: 'object' },
    },
    required: ['state', 'id', 'toolName'],
  },
  annotations: hintsOf('See what became of a call that waits', 'green'),
}

/**
 * Returns a function that gives the tools for a token: those that the agent of its calls may use. The list is built again only if the catalog
 * changes.
 */
export function createToolList(catalog: Catalog, isOffered: (token: ApiToken, tool: Tool) => boolean) {
  let of: readonly Tool[] | undefined
  let all: { tool: Tool; shown: McpTool }[] = []
  return (token: ApiToken): McpTool[] => {
    const tools = catalog.list()
    if (tools !== of) {
      of = tools
      // Tools that ask a person a question are left out, because the client can ask its own user.
      all = tools.filter(({ asks }) => asks !== true).map((tool) => ({ tool, shown: toMcpTool(tool) }))
    }
    const seen = all.filter(({ tool }) => (token.scope === 'ask' || isRead(tool)) && isOffered(token, tool))
    return [...seen.map(({ shown }) => shown), getConfirmation]
  }
}

/** True for a tool that only reads: a read-only token, and a client with too many waiting calls, may call it. */
export const isRead = (tool: Tool | undefined) => tool?.tier === 'green'

function toMcpTool(tool: Tool): McpTool {
  const output = outputSchemaOf(tool)
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: inputSchemaOf(tool) as McpTool['inputSchema'],
    ...(output !== undefined && {
      outputSchema: tool.tier === 'green' ? output : { type: 'object', anyOf: [output, waitingSchema] },
    }),
    annotations: hintsOf(tool.title, tool.tier),
    // `execution.taskSupport` was added in MCP version 2025-11-25. A green tool answers at once, so it needs no task.
    ...(tool.tier !== 'green' && { execution: { taskSupport: 'optional' } }),
  } as McpTool
}

/** Hints follow the tool's own tier and not the policy, because clients cache them and they describe what a call does. */
function hintsOf(title: string, tier: Tool['tier']) {
  return {
    title,
    readOnlyHint: tier === 'green',
    destructiveHint: tier === 'red' || tier === 'black',
    idempotentHint: tier === 'green',
    openWorldHint: false,
  }
}
