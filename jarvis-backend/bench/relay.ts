import { once } from 'node:events'
import { createServer } from 'node:http'
import Anthropic from '@anthropic-ai/sdk'
import { Server, type Socket } from 'socket.io'
import { listening } from './listening.ts'

/** The obvious code, which JARVIS is compared with: the SDK's stream passed to `socket.emit`, a tool loop, a confirmation. */
const anthropic = new Anthropic()
const http = createServer()
const io = new Server(http)

const tools: Anthropic.Tool[] = [
  { name: 'get_cluster_status', description: 'Shows the cluster.', input_schema: { type: 'object', properties: {} } },
  {
    name: 'get_recent_tasks',
    description: 'Lists the newest tasks.',
    input_schema: { type: 'object', properties: { limit: { type: 'integer' } } },
  },
  {
    name: 'restart_vm',
    description: 'Restarts a virtual machine.',
    input_schema: { type: 'object', properties: { vmid: { type: 'integer' } }, required: ['vmid'] },
  },
]
const nodes = [{ name: 'pve', status: 'online', cpuRatio: 0.71, ramBytes: 109_000_000_000 }]
const tasks = Array.from({ length: 20 }, (_, i) => ({ node: 'pve', type: 'vzdump', vmid: 100 + i, status: 'OK' }))
const run: Record<string, (input: unknown) => string> = {
  get_cluster_status: () => JSON.stringify({ isQuorate: true, nodes }),
  get_recent_tasks: (input) => JSON.stringify(tasks.slice(0, (input as { limit: number }).limit)),
  restart_vm: (input) => `VM ${(input as { vmid: number }).vmid} not running`,
}

async function runTool(socket: Socket, runId: string, call: Anthropic.ToolUseBlock) {
  const named = { sessionId: runId, runId, toolUseId: call.id, toolName: call.name, toolInput: call.input }
  if (call.name === 'restart_vm') {
    socket.emit('chat:confirm_needed', named)
    await once(socket, 'chat:confirm')
  }
  socket.emit('chat:tool_use', named)
  const result = run[call.name]?.(call.input) ?? 'unknown tool'
  socket.emit('chat:tool_result', { ...named, result })
  return result
}

async function chat(socket: Socket, runId: string, message: string) {
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: message }]
  for (;;) {
    const stream = anthropic.messages.stream({ model: 'bench', max_tokens: 4096, messages, tools })
    stream.on('text', (text) => socket.emit('chat:token', { runId, text }))
    const { content } = await stream.finalMessage()
    messages.push({ role: 'assistant', content })
    const results: Anthropic.ToolResultBlockParam[] = []
    for (const block of content) {
      if (block.type !== 'tool_use') continue
      results.push({ type: 'tool_result', tool_use_id: block.id, content: await runTool(socket, runId, block) })
    }
    if (results.length === 0) break
    messages.push({ role: 'user', content: results })
  }
  socket.emit('chat:done', { runId })
}

let runs = 0
io.of('/chat').on('connection', (socket) => {
  socket.on('chat:send', ({ message }: { message: string }, ack: (reply: object) => void) => {
    const runId = `run_${++runs}`
    ack({ ok: true, sessionId: runId, runId })
    chat(socket, runId, message).catch((error: unknown) => socket.emit('chat:error', { runId, error: String(error) }))
  })
})
listening('relay', http)
