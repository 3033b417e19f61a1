import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { listening } from './listening.ts'

/** The obvious MCP server, which JARVIS is compared with: the SDK as its examples have it, one tool, nothing kept. */
const nodes = Array.from({ length: 4 }, (_, at) => ({ name: `pve${at}`, status: 'online', cpuRatio: 0.71 }))

function make() {
  const server = new McpServer({ name: 'bare', version: '1' })
  server.registerTool(
    'get_cluster_status',
    {
      title: 'Show how the cluster is',
      description: 'Shows the cluster.',
      inputSchema: z.strictObject({}),
      outputSchema: z.object({
        isQuorate: z.boolean(),
        nodes: z.array(z.object({ name: z.string(), status: z.string(), cpuRatio: z.number() })),
      }),
    },
    async () => {
      const data = { isQuorate: true, nodes }
      return { content: [{ type: 'text', text: JSON.stringify(data) }], structuredContent: data }
    },
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
