import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'

const at = { type: z.string(), sequence_number: z.int() }
const ofItem = { ...at, item_id: z.string().min(1), output_index: z.int() }
const ofPart = { ...ofItem, content_index: z.literal(0) }
const ofSummary = { ...ofItem, summary_index: z.literal(0) }
const Text = z.strictObject({
  type: z.literal('output_text'),
  text: z.string(),
  annotations: z.tuple([]),
  logprobs: z.tuple([]),
})
const Summary = z.strictObject({ type: z.literal('summary_text'), text: z.string() })
const status = z.enum(['in_progress', 'completed'])
const call = { id: z.string().min(1), name: z.string().min(1), arguments: z.string() }
const Item = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('message'),
    id: z.string().regex(/^msg_/),
    status,
    role: z.literal('assistant'),
    content: z.array(Text).max(1),
  }),
  z.strictObject({
    type: z.literal('reasoning'),
    id: z.string().regex(/^rs_/),
    status,
    summary: z.array(Summary).max(1),
  }),
  z.strictObject({
    type: z.literal('mcp_call'),
    ...call,
    server_label: z.literal('jarvis'),
    approval_request_id: z.null(),
    status: z.enum([...status.options, 'failed']),
    output: z.string().nullable(),
    error: z.string().nullable(),
  }),
  z.strictObject({
    type: z.literal('function_call'),
    ...call,
    call_id: z.string().min(1),
    status: z.literal('completed'),
  }),
  z.strictObject({
    type: z.literal('jarvis:confirmation'),
    id: z.string().min(1),
    status,
    tool_use_id: z.string().min(1),
    name: z.string().min(1),
    text: z.string().min(1),
    expires_at: z.int().max(10_000_000_000),
    decision: z.enum(['approved', 'denied', 'expired', 'cancelled']).nullable(),
  }),
])
type Item = z.infer<typeof Item>
const Usage = z
  .strictObject({
    input_tokens: z.int(),
    input_tokens_details: z.strictObject({ cached_tokens: z.int() }),
    output_tokens: z.int(),
    output_tokens_details: z.strictObject({ reasoning_tokens: z.int() }),
    total_tokens: z.int(),
  })
  .refine(({ input_tokens, output_tokens, total_tokens }) => input_tokens + output_tokens === total_tokens)
const Whole = z.looseObject({
  id: z.string().regex(/^resp_/),
  object: z.literal('response'),
  created_at: z.int().min(1_000_000_000).max(10_000_000_000),
  completed_at: z.int().min(1_000_000_000).max(10_000_000_000).nullable(),
  model: z.string().min(1),
  status: z.enum(['in_progress', 'completed', 'incomplete', 'failed']),
  error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
  incomplete_details: z.strictObject({ reason: z.string() }).nullable(),
  output: z.array(Item),
  usage: Usage.nullable(),
})
const whole = z.strictObject({ ...at, response: Whole })
const item = z.strictObject({ ...at, output_index: z.int(), item: Item })
const part = z.strictObject({ ...ofPart, part: Text })
const summaryPart = z.strictObject({ ...ofSummary, part: Summary })
const delta = { delta: z.string().min(1) }
const kinds: Record<string, z.ZodType> = {
  'response.created': whole,
  'response.in_progress': whole,
  'response.completed': whole,
  'response.incomplete': whole,
  'response.failed': whole,
  'response.output_item.added': item,
  'response.output_item.done': item,
  'response.content_part.added': part,
  'response.content_part.done': part,
  'response.output_text.delta': z.strictObject({ ...ofPart, ...delta, logprobs: z.tuple([]) }),
  'response.output_text.done': z.strictObject({ ...ofPart, text: z.string(), logprobs: z.tuple([]) }),
  'response.reasoning_summary_part.added': summaryPart,
  'response.reasoning_summary_part.done': summaryPart,
  'response.reasoning_summary_text.delta': z.strictObject({ ...ofSummary, ...delta }),
  'response.reasoning_summary_text.done': z.strictObject({ ...ofSummary, text: z.string() }),
  'response.mcp_call.in_progress': z.strictObject(ofItem),
  'response.mcp_call.completed': z.strictObject(ofItem),
  'response.mcp_call.failed': z.strictObject(ofItem),
  'response.mcp_call_arguments.done': z.strictObject({ ...ofItem, arguments: z.string() }),
  'response.function_call_arguments.delta': z.strictObject({ ...ofItem, ...delta }),
  'response.function_call_arguments.done': z.strictObject({ ...ofItem, name: z.string(), arguments: z.string() }),
}
/** Events between `added` and `done` of an item, in this order. A delta may come more than once. */
const within: Record<Item['type'], readonly string[]> = {
  message: ['content_part.added', 'output_text.delta', 'output_text.done', 'content_part.done'],
  reasoning: [
    'reasoning_summary_part.added',
    'reasoning_summary_text.delta',
    'reasoning_summary_text.done',
    'reasoning_summary_part.done',
  ],
  mcp_call: ['mcp_call.in_progress', 'mcp_call_arguments.done', 'mcp_call.completed|mcp_call.failed'],
  function_call: ['function_call_arguments.delta', 'function_call_arguments.done'],
  'jarvis:confirmation': [],
}
type Event = { type: string; sequence_number: number; [field: string]: unknown }

/**
 * Reads a whole stream of `/v1/responses` as the strictest client does.
 * @returns the response of its last event
 * @throws Error naming the first event that such a client refuses
 */
export function readResponseStream(bytes: string): z.infer<typeof Whole> {
  const events = eventsIn(bytes)
  const refuse = (why: string): never => {
    throw new Error(why)
  }
  for (const [index, event] of events.entries()) {
    const kind = kinds[event.type] ?? refuse(`an unknown event ${event.type}`)
    kind.parse(event)
    if (event.sequence_number !== index) refuse(`${event.type} is out of order`)
  }
  const [created, inProgress, ...rest] = events
  const last = rest.pop()
  if (created?.type !== 'response.created' || inProgress?.type !== 'response.in_progress') refuse('no beginning')
  if (last === undefined || !/^response\.(completed|incomplete|failed)$/.test(last.type)) refuse('no end')
  if (rest.some((event) => 'response' in event)) refuse('a response in between')
  const [first, second, end] = [created, inProgress, last].map((event) => Whole.parse(event?.response))
  for (const one of [first, second])
    if (one?.status !== 'in_progress' || one.output.length > 0 || one.usage !== null) refuse('it begins with an end')
  if (end === undefined) return refuse('no end')
  if (last?.type !== `response.${end.status}`) refuse('the end and its status do not agree')
  for (const name of ['id', 'created_at', 'model'] as const)
    if (first?.[name] !== end[name] || second?.[name] !== end[name]) refuse(`another ${name}`)
  if ((end.completed_at === null) === (end.status === 'completed')) refuse('no time of its end')
  if (end.usage === null) refuse('no usage')
  const items = itemsIn(rest)
  if (!isDeepStrictEqual(items, end.output)) refuse('the items and the response do not agree')
  return end
}

function eventsIn(bytes: string): Event[] {
  if (!bytes.endsWith('\n\n')) throw new Error('the stream ends within an event')
  const blocks = bytes.slice(0, -2).split('\n\n')
  if (blocks.pop() !== 'data: [DONE]') throw new Error('[DONE] is not the last event')
  return blocks.flatMap((block) => {
    if (/^: [^\n]+$/.test(block)) return []
    const [, name, json] = /^event: (\S+)\ndata: ([^\n]+)$/.exec(block) ?? []
    if (json === undefined) throw new Error(`neither an event nor a comment: ${JSON.stringify(block)}`)
    const event = JSON.parse(json) as Event
    if (event.type !== name) throw new Error(`${event.type} is sent as ${name}`)
    return [event]
  })
}

/** The items as their own events tell them. */
function itemsIn(events: readonly Event[]): Item[] {
  const done: Item[] = []
  const told: Event[][] = []
  for (const event of events) {
    const index = event.output_index as number
    const item = event.item as Item | undefined
    if (event.type === 'response.output_item.added') {
      if (index !== told.length || item === undefined) throw new Error('an item in the wrong place')
      told.push([event])
      continue
    }
    const of = told[index]
    if (of === undefined || done[index] !== undefined) throw new Error(`${event.type} of an item that is not open`)
    of.push(event)
    if (event.type !== 'response.output_item.done' || item === undefined) continue
    requireWhole(of, item)
    done[index] = item
  }
  if (done.filter(Boolean).length !== told.length) throw new Error('an item is not done')
  return done
}

function requireWhole([added, ...rest]: Event[], item: Item): void {
  const first = added?.item as Item
  if (first.id !== item.id || first.type !== item.type) throw new Error('another item is done')
  const between = rest.slice(0, -1)
  if (between.some(({ item_id: id }) => id !== item.id)) throw new Error('an event of another item')
  const names = between.map(({ type }) => type.slice('response.'.length))
  const once = names.filter((name, at) => !(name.endsWith('.delta') && names[at - 1] === name))
  const wanted = within[item.type]
  const isWanted = once.length === wanted.length && wanted.every((name, at) => name.split('|').includes(once[at] ?? ''))
  if (!isWanted) throw new Error(`${item.type}: ${once.join(', ')}`)
  const streamed = between.flatMap((event) => (event.type.endsWith('.delta') ? (event.delta as string) : [])).join('')
  const said = between.flatMap(({ text, arguments: given, part }) => [
    ...[text, given].filter((one) => one !== undefined),
    ...((part as { text: string } | undefined)?.text ? [(part as { text: string }).text] : []),
  ])
  const text =
    item.type === 'message'
      ? item.content[0]?.text
      : item.type === 'reasoning'
        ? item.summary[0]?.text
        : 'arguments' in item
          ? item.arguments
          : undefined
  if (said.some((one) => one !== text)) throw new Error('a text that is not the item’s')
  if (streamed !== '' && streamed !== text) throw new Error('the pieces and the text do not agree')
  if (item.type !== 'mcp_call' && item.status !== 'completed') throw new Error('done and not completed')
}
