import { createServer, type ServerResponse } from 'node:http'
import { listening } from './listening.ts'
import { tokensOf } from './ui/answer.ts'
import { wordAt, words } from './words.ts'

/** The members of `POST /v1/messages` that are read. */
type Body = { messages: { role: string; content: string | { type: string; text?: string }[] }[] }

const intervalMs = 20

const sse = (event: { type: string; [key: string]: unknown }) =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
const delta = (text: string) => sse({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })
const usage = { input_tokens: 1_000, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }
const start = sse({
  type: 'message_start',
  message: { id: 'msg_1', type: 'message', role: 'assistant', model: 'bench', content: [], usage },
})
const end = (stopReason: string) =>
  sse({ type: 'content_block_stop', index: 0 }) +
  sse({ type: 'message_delta', delta: { stop_reason: stopReason, stop_sequence: null }, usage }) +
  sse({ type: 'message_stop' })
const textStart = start + sse({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } })
const textEnd = end('end_turn')
const encodedWords = words.map((word) => Buffer.from(delta(word)))
const [beforeStamp = '', afterStamp = ''] = delta('STAMP').split('STAMP')

/** Streams that send one token each in every turn of the event loop, as long as their readers keep up. */
const flat = new Set<{ response: ServerResponse; sent: number; tokens: number }>()

function pumpFlat() {
  for (const stream of flat) {
    const { response, tokens } = stream
    if (stream.sent === tokens || response.destroyed) {
      flat.delete(stream)
      response.end(textEnd)
    } else if (!response.write(encodedWords[stream.sent++ % words.length])) {
      flat.delete(stream)
      response.once('drain', () => addFlat(stream))
    }
  }
  if (flat.size > 0) setImmediate(pumpFlat)
}

function addFlat(stream: { response: ServerResponse; sent: number; tokens: number }) {
  if (flat.size === 0) setImmediate(pumpFlat)
  flat.add(stream)
}

let paced = 0
/** Fifty tokens a second; no two streams begin in the same moment. */
function pace(response: ServerResponse, tokens: number, tokenAt: (i: number) => string | Buffer) {
  let sent = 0
  const send = () => {
    if (sent < tokens && !response.destroyed) response.write(tokenAt(sent++))
    else {
      clearInterval(timer)
      response.end(textEnd)
    }
  }
  let timer = setTimeout(
    () => {
      timer = setInterval(send, intervalMs)
    },
    (paced++ * 7) % intervalMs,
  )
}

/** Two hundred tokens a second of an answer with lists, tables and code. */
function markdown(response: ServerResponse, count: number) {
  const tokens = tokensOf(count)
  const since = performance.now()
  let sent = 0
  const timer = setInterval(() => {
    const due = Math.min(count, Math.floor((performance.now() - since) / 5))
    while (sent < due) response.write(delta(tokens[sent++] ?? ''))
    if (sent < count && !response.destroyed) return
    clearInterval(timer)
    response.end(textEnd)
  }, 5)
}

const stamp = () => `${beforeStamp} ${process.hrtime.bigint() / 1000n}.${afterStamp}`

let called = 0
function call(response: ServerResponse, name: string, input: string) {
  response.write(
    start +
      sse({
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'tool_use', id: `toolu_${name}_${++called}`, name, input: {} },
      }),
  )
  response.write(
    sse({ type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: input } }),
  )
  response.end(end('tool_use'))
}

/** The last text says what to do. A tool's result gets a short answer, or with `rounds` the next call. */
function hintOf({ messages }: Body): string {
  const at = messages.findLastIndex(({ role, content }) => role === 'user' && !hasResult(content))
  const content = messages[at]?.content ?? ''
  // A child run reads a few words of JARVIS before its task.
  const hint = (typeof content === 'string' ? content : (content[0]?.text ?? '')).split('\n\n').at(-1) ?? ''
  const [verb, count, tool, key] = hint.split(' ')
  const results = messages.slice(at + 1).filter((message) => hasResult(message.content)).length
  // Each round has its own argument: equal calls are told to the model.
  if (verb === 'rounds' && results < Number(count)) return `call ${tool} {"${key}":${results + 1}}`
  return results === 0 ? hint : 'flat 8'
}

const hasResult = (content: Body['messages'][number]['content']) =>
  typeof content !== 'string' && content.some(({ type }) => type === 'tool_result')

/** `flat 400`, `paced 200`, `stamped 150`, `markdown 4000`, `call restart_vm {"vmid":142}`, `rounds 20 get_recent_tasks limit`. */
function answer(response: ServerResponse, hint: string) {
  const [verb = '', what = '', input = '{}'] = hint.split(' ')
  const tokens = Number(what)
  if (!['flat', 'paced', 'stamped', 'markdown', 'call'].includes(verb)) {
    response.writeHead(400).end(JSON.stringify({ error: { type: 'invalid_request_error', message: hint } }))
    return
  }
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
  if (verb === 'call') {
    call(response, what, input)
    return
  }
  response.write(textStart)
  if (verb === 'flat') addFlat({ response, sent: 0, tokens })
  else if (verb === 'markdown') markdown(response, tokens)
  else if (verb === 'paced') pace(response, tokens, (i) => encodedWords[i % words.length] ?? wordAt(i))
  else pace(response, tokens, stamp)
}

const server = createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
  // It lists no models.
  if (request.method !== 'POST') {
    response
      .writeHead(404, { 'content-type': 'application/json' })
      .end('{"type":"error","error":{"type":"not_found_error"}}')
    return
  }
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => answer(response, hintOf(JSON.parse(Buffer.concat(chunks).toString()) as Body)))
})
listening('upstream', server)
