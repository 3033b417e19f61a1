import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

type Block = { type: string; cache_control?: unknown; signature?: string; [key: string]: unknown }
type Body = {
  system?: Block[]
  tools?: Block[]
  messages: { role: string; content: Block[] }[]
}

/** One request, counted as the provider documents it. */
export type Counted = { input: number; read: number; written: number; blocks: number }

const lookBack = 20
const mostBreakpoints = 4
/** About four characters of JSON to a token: what is compared are shares of one text. */
const tokensOf = (json: string) => Math.ceil(json.length / 4)
const unmarked = ({ cache_control: _, ...block }: Block) => block
const digest = (text: string) => createHash('sha256').update(text).digest('base64url')

/**
 * Claude's prompt cache: an entry is written at each breakpoint, and a request reads the longest one that lies at a breakpoint
 * of its own or up to 20 blocks before it. What follows the last breakpoint is paid in full and not written.
 */
export function createPromptCache() {
  const entries = new Set<string>()
  return (blocks: readonly Counting[]): Counted => {
    const breakpoints = blocks.flatMap(({ isMarked }, i) => (isMarked ? [i] : []))
    if (breakpoints.length > mostBreakpoints) throw new Error(`${breakpoints.length} breakpoints`)
    const found = breakpoints.map((at) => {
      for (let i = at; i >= 0 && i > at - lookBack; i--) if (entries.has(blocks[i]?.prefix ?? '')) return i
      return -1
    })
    const end = breakpoints.at(-1) ?? -1
    const hit = Math.max(-1, ...found)
    for (const at of breakpoints) entries.add(blocks[at]?.prefix ?? '')
    const sum = (from: number, to: number) => blocks.slice(from, to).reduce((all, { tokens }) => all + tokens, 0)
    return {
      read: sum(0, hit + 1),
      written: sum(hit + 1, end + 1),
      input: sum(end + 1, blocks.length),
      blocks: blocks.length,
    }
  }
}

type Counting = ReturnType<typeof flattened>[number]

/** `message`: whose block it is; -1 for tools and instructions. `prefix`: digest of all up to it. */
function flattened({ tools = [], system = [], messages }: Body) {
  let prefix = ''
  return [
    ...[...tools, ...system].map((block) => ({ message: -1, role: 'system', block })),
    ...messages.flatMap(({ role, content }, message) => content.map((block) => ({ message, role, block }))),
  ].map(({ message, role, block }) => {
    const json = JSON.stringify(unmarked(block))
    prefix = digest(`${prefix}${role}${json}`)
    return { message, block, prefix, tokens: tokensOf(json), isMarked: block.cache_control !== undefined }
  })
}

const sse = (event: { type: string; [key: string]: unknown }) =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`

/**
 * A Claude that thinks before each reply, calls `get_cluster_status` `rounds` times for each question and then answers. It binds
 * its thinking to all that stood before it, and refuses thinking that comes back behind anything else.
 * Ends with `stop`.
 */
export async function startClaudeServer({
  rounds,
  callsAtOnce = 1,
  takesThinkingBack = true,
}: {
  rounds: number
  callsAtOnce?: number
  /** False: it refuses all of it, for reasons of its own. */
  takesThinkingBack?: boolean
}) {
  const counted: Counted[] = []
  const refusals: string[] = []
  const bodies: Body[] = []
  /** Tokens of each block that was ever sent, by what stands in it. */
  const distinct = new Map<string, number>()
  let count = createPromptCache()
  const boundTo = (blocks: readonly Counting[], before: number) =>
    blocks.findLast(({ message }) => message < before)?.prefix

  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Body
      const blocks = flattened(body)
      const wrong = body.messages.findIndex(({ content }, i) =>
        content.some(
          ({ type, signature }) => type === 'thinking' && !(takesThinkingBack && signature === boundTo(blocks, i)),
        ),
      )
      if (wrong >= 0) {
        const message = `messages.${wrong}.content.0: Invalid \`signature\` in \`thinking\` block`
        refusals.push(message)
        response.writeHead(400, { 'content-type': 'application/json' })
        response.end(JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message } }))
        return
      }
      bodies.push(body)
      // The same words twice in one request are two blocks.
      const times = new Map<string, number>()
      for (const { block, tokens } of blocks) {
        const json = JSON.stringify(unmarked(block))
        const time = (times.get(json) ?? 0) + 1
        times.set(json, time)
        distinct.set(digest(`${time} ${json}`), tokens)
      }
      const { read, written, input, ...rest } = count(blocks)
      counted.push({ read, written, input, ...rest })
      const asked = body.messages.findLastIndex(
        ({ role, content }) => role === 'user' && content.every(({ type }) => type === 'text'),
      )
      // A request for a fold has no tools.
      const mayCall = body.tools !== undefined && body.messages.length - asked < 2 * rounds
      const signature = boundTo(blocks, body.messages.length)
      const usage = {
        input_tokens: input,
        output_tokens: 1,
        cache_creation_input_tokens: written,
        cache_read_input_tokens: read,
      }
      const thought = `Let me think about request ${counted.length}. `.repeat(20)
      const replies = [
        {
          start: { type: 'thinking', thinking: '' },
          deltas: [
            { type: 'thinking_delta', thinking: thought },
            { type: 'signature_delta', signature },
          ],
        },
        ...(mayCall
          ? Array.from({ length: callsAtOnce }, (_, i) => ({
              start: { type: 'tool_use', id: `toolu_${i}`, name: 'get_cluster_status', input: {} },
              deltas: [] as object[],
            }))
          : [
              {
                start: { type: 'text', text: '' },
                deltas: [{ type: 'text_delta', text: 'All is well, sir. '.repeat(20) }],
              },
            ]),
      ]
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(sse({ type: 'message_start', message: { id: 'msg_1', usage } }))
      for (const [index, { start, deltas }] of replies.entries()) {
        response.write(sse({ type: 'content_block_start', index, content_block: start }))
        for (const delta of deltas) response.write(sse({ type: 'content_block_delta', index, delta }))
        response.write(sse({ type: 'content_block_stop', index }))
      }
      const stop_reason = mayCall ? 'tool_use' : 'end_turn'
      response.write(sse({ type: 'message_delta', delta: { stop_reason }, usage: { output_tokens: 100 } }))
      response.end(sse({ type: 'message_stop' }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    counted,
    refusals,
    /** How often each token of the newest request was paid in full so far: 1 is the least there can be. */
    paidInFull() {
      const last = counted.at(-1) ?? { read: 0, written: 0, input: 0 }
      return (
        counted.reduce((sum, { input, written }) => sum + input + written, 0) / (last.read + last.written + last.input)
      )
    },
    /** How often each token that was ever sent was paid in full, also where a fold has taken some out again. */
    paidOverall() {
      const paid = counted.reduce((sum, { input, written }) => sum + input + written, 0)
      return paid / [...distinct.values()].reduce((sum, tokens) => sum + tokens, 0)
    },
    /** Resets the counters and empties the cache. */
    forget() {
      counted.length = 0
      distinct.clear()
      count = createPromptCache()
    },
    stop: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  }
}
