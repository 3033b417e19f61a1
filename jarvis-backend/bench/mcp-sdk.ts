import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node'
import { type CallToolResult, createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { ClusterStatusOutput } from '../src/tools/outputs.ts'
import { listening } from './listening.ts'

/** The obvious MCP server, which JARVIS is compared with: the SDK as its examples have it, one tool, nothing kept. */
const answer = JSON.parse(readFileSync(process.env.MCP_ANSWER ?? '', 'utf8')) as CallToolResult

function make() {
  const server = new McpServer({ name: 'bare', version: '1' })
  server.registerTool(
    'get_cluster_status',
    {
      title: 'Show how the cluster is',
      description: 'Shows the cluster.',
      inputSchema: z.strictObject({}),
      outputSchema: ClusterStatusOutput,
    },
    async () => answer,
  )
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

const http = createServer(async (request, response) => {
  if (request.headers['mcp-method'] !== undefined) await current(request as Parameters<typeof current>[0], response)
  else await (await older(request.headers['mcp-session-id'] as string | undefined)).handleRequest(request, response)
})
listening('Bare MCP', http)
