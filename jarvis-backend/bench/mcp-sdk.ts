import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import {
  localhostHostValidation,
  localhostOriginValidation,
  NodeStreamableHTTPServerTransport,
  toNodeHandler,
} from '@modelcontextprotocol/node'
import { type CallToolResult, createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { systemClock } from 'node-kit/clock'
import { overHomelab } from '../test/support/house.ts'
import { createSimulator } from '../test/support/simulator.ts'
import { listening } from './listening.ts'

/**
 * The obvious MCP server, which JARVIS is compared with: the SDK as its documentation has it for each version, with its
 * guards and the tools of the demo cluster. It knows no tokens, keeps nothing, and its schemas are made once.
 */
const answer = JSON.parse(readFileSync(process.env.MCP_ANSWER ?? '', 'utf8')) as CallToolResult

const tools = overHomelab(createSimulator({ clock: systemClock, protectedTargets: new Set() }))

function make() {
  const server = new McpServer({ name: 'bare', version: '1' })
  for (const { name, title, description, input, output } of tools) {
    const schemas = { inputSchema: input, outputSchema: output }
    server.registerTool(name, { title, description, ...schemas }, async () => answer)
  }
  return server
}

const current = toNodeHandler(createMcpHandler(make))
const sessions = new Map<string, NodeStreamableHTTPServerTransport>()

async function older(id: string | undefined) {
  const known = id === undefined ? undefined : sessions.get(id)
  if (known !== undefined) return known
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (made) => void sessions.set(made, transport),
  })
  await make().connect(transport)
  return transport
}

const isLocalHost = localhostHostValidation()
const isLocalOrigin = localhostOriginValidation()
const http = createServer(async (request, response) => {
  if (!isLocalHost(request, response) || !isLocalOrigin(request, response)) return
  if (request.headers['mcp-method'] !== undefined) await current(request as Parameters<typeof current>[0], response)
  else await (await older(request.headers['mcp-session-id'] as string | undefined)).handleRequest(request, response)
})
listening('Bare MCP', http)
