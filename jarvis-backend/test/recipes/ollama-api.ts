import { noUsage, type Usage } from 'protocol'
import type { Model, ModelRequest, ModelSink } from '../../src/agent/model.ts'
import { conversation } from '../../src/providers/conversation.ts'
import { exchange, type Reader } from '../../src/providers/exchange.ts'
import { broken, complaintIn, type Provider, refusal } from '../../src/providers/failure.ts'
import { count, eventOf, fieldsIfAny, list, words } from '../../src/providers/fields.ts'
import { pagesOf } from '../../src/providers/listing.ts'
import { bearer, type ModelApi, type ModelOptions } from '../../src/providers/model-api.ts'
import { postJson } from '../../src/providers/post-json.ts'
import { type Piece, reply } from '../../src/providers/reply.ts'
import { settingsOf } from '../../src/providers/settings-names.ts'

/** Ollama's own API, which answers with one JSON object a line. */
export const ollamaApi: ModelApi = {
  address: 'http://127.0.0.1:11434',
  model: ollamaModel,
  keyHeaders: bearer,
  list: (server) => pagesOf(server, `${server.address}/api/tags`, 'after'),
}

function ollamaModel(options: ModelOptions): Model {
  const { name, model, apiKey, baseUrl = ollamaApi.address, headers = {}, idleTimeoutMs = 600_000 } = options
  const { host } = new URL(baseUrl)
  const secrets = [...(apiKey === undefined ? [] : [apiKey]), ...Object.values(headers)]
  const provider: Provider = { name: host, host, ...settingsOf(name), secrets }
  const sent = { ...headers, ...(apiKey !== undefined && bearer(apiKey)) }
  return {
    id: `${name}/${model}`,
    generate(request, sink, signal) {
      const body = { model, ...bodyOf(request), options: { num_predict: request.maxOutputTokens ?? options.maxTokens } }
      return exchange(provider, {
        send: (upstream) => postJson(`${baseUrl}/api/chat`, { headers: sent, body, idleTimeoutMs }, upstream),
        reader: ollamaReader(provider, sink, request.mayCallTools),
        signal,
      })
    },
  }
}

const bodyOf = ({ system, messages, tools }: ModelRequest) => ({
  messages: [
    { role: 'system', content: system },
    ...conversation(messages, () => false).flatMap((turn): object[] => {
      if (turn.role === 'user')
        return [
          ...turn.results.map(({ toolName, text }) => ({ role: 'tool', tool_name: toolName, content: text })),
          ...turn.texts.map((content) => ({ role: 'user', content })),
        ]
      const calls = turn.content.filter((piece) => piece.type === 'tool_call')
      return [
        {
          role: 'assistant',
          content: turn.content.map((piece) => (piece.type === 'text' ? piece.text : '')).join(''),
          tool_calls: calls.map(({ toolName, toolInput }) => ({ function: { name: toolName, arguments: toolInput } })),
        },
      ]
    }),
  ],
  tools: tools.map(({ name, description, inputSchema }) => ({
    type: 'function',
    function: { name, description, parameters: inputSchema },
  })),
})

function ollamaReader(provider: Provider, sink: ModelSink, mayCall: boolean): Reader {
  let text = ''
  let usage: Usage | undefined
  let stop: 'end_turn' | 'max_tokens' | undefined
  const calls: Piece[] = []
  return {
    take(data) {
      const line = eventOf(data)
      if (line.error !== undefined) throw refusal(provider, complaintIn(line.error), usage)
      const message = fieldsIfAny(line.message) ?? {}
      const said = words(message.content)
      text += said
      if (said !== '') sink.text(said)
      for (const call of list(message.tool_calls ?? [])) {
        const { name, arguments: input } = fieldsIfAny(fieldsIfAny(call)?.function) ?? {}
        calls.push({ type: 'call', id: '', name: words(name), parts: [], input: fieldsIfAny(input) })
      }
      if (line.done !== true) return false
      stop = line.done_reason === 'length' ? 'max_tokens' : 'end_turn'
      usage = { ...noUsage, inputTokens: count(line.prompt_eval_count) ?? 0, outputTokens: count(line.eval_count) ?? 0 }
      return true
    },
    turn() {
      if (stop === undefined) throw broken(provider, 'the stream ended early', { usage })
      return { ...reply([{ type: 'text', text }, ...calls], { stop, mayCall }), usage: usage ?? noUsage }
    },
    usage: () => usage,
  }
}
