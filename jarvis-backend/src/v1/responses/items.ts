import type { Card, Decision, Entry, ToolCall } from 'protocol'
import { callIdOf, callsIn, settles } from '../../agent/settles.ts'
import { cardLine } from '../card-words.ts'
import { itemId, type Place } from './place.ts'

type Status = 'in_progress' | 'completed'
type Text = { type: 'output_text'; text: string; annotations: []; logprobs: [] }
export type MessageItem = { type: 'message'; id: string; status: Status; role: 'assistant'; content: Text[] }
/** The model's thinking in a turn, as its provider tells it. */
export type ReasoningItem = {
  type: 'reasoning'
  id: string
  status: Status
  summary: { type: 'summary_text'; text: string }[]
}
/** A call of one of JARVIS's tools: it ran here, or was refused here. */
export type McpCall = {
  type: 'mcp_call'
  id: string
  status: Status | 'failed'
  server_label: 'jarvis'
  name: string
  arguments: string
  approval_request_id: null
  output: string | null
  error: string | null
}
/** A call of one of the program's own tools, which the program runs. */
export type FunctionCall = {
  type: 'function_call'
  id: string
  call_id: string
  name: string
  arguments: string
  status: 'completed'
}
/** A card that a person decides in JARVIS. `expires_at`: Unix s. */
export type Confirmation = {
  type: 'jarvis:confirmation'
  id: string
  status: Status
  tool_use_id: string
  name: string
  text: string
  expires_at: number
  decision: Decision | null
}
export type Item = MessageItem | ReasoningItem | McpCall | FunctionCall | Confirmation

/** Hears the items as they come to be. `item` is as it stands then. */
export type ItemListener = {
  added(index: number, item: Item): void
  text(index: number, item: MessageItem | ReasoningItem, delta: string): void
  done(index: number, item: Item): void
}

export const summaryOf = (text: string) => ({ type: 'summary_text' as const, text })
export const textOf = (text: string): Text => ({ type: 'output_text', text, annotations: [], logprobs: [] })

const messageOf = (id: string): MessageItem => ({
  type: 'message',
  id,
  status: 'in_progress',
  role: 'assistant',
  content: [],
})

/** Makes the items of a response from what is heard of its run, live or from the store: the same items with the same ids. */
export function createItems(place: Place, tell: ItemListener) {
  const items: Item[] = []
  const known = new Map<string, ToolCall>()
  const calls = new Map<string, { at: number; item: McpCall }>()
  const cards = new Map<string, { at: number; item: Confirmation }>()
  let open: { at: number; item: MessageItem } | undefined
  let thinking: { at: number; item: ReasoningItem; text: string } | undefined
  let turns = 0

  function add<I extends Item>(item: I): { at: number; item: I } {
    const at = items.push(item) - 1
    tell.added(at, item)
    return { at, item }
  }
  function close({ at, item }: { at: number; item: MessageItem }, text: string) {
    item.content = [textOf(text)]
    item.status = 'completed'
    tell.done(at, item)
  }
  function think(delta: string) {
    if (delta === '') return
    thinking ??= {
      ...add<ReasoningItem>({
        type: 'reasoning',
        id: itemId('rs', place, `t${turns}`),
        status: 'in_progress',
        summary: [],
      }),
      text: '',
    }
    thinking.text += delta
    tell.text(thinking.at, thinking.item, delta)
  }
  function closeThinking(text: string) {
    if (thinking === undefined) return
    const { at, item } = thinking
    thinking = undefined
    item.summary = [summaryOf(text)]
    item.status = 'completed'
    tell.done(at, item)
  }
  function say(id: string, text: string) {
    close(add(messageOf(itemId('msg', place, id))), text)
  }
  function begin({ toolUseId, toolName, toolInput }: Pick<ToolCall, 'toolUseId' | 'toolName' | 'toolInput'>) {
    const begun = calls.get(toolUseId)
    if (begun !== undefined) return begun
    const call = add<McpCall>({
      type: 'mcp_call',
      id: itemId('mcp', place, toolUseId),
      status: 'in_progress',
      server_label: 'jarvis',
      name: toolName,
      arguments: JSON.stringify(toolInput),
      approval_request_id: null,
      output: null,
      error: null,
    })
    calls.set(toolUseId, call)
    return call
  }
  function settle(call: ToolCall, output: string, isError: boolean) {
    const { at, item } = begin(call)
    item.status = isError ? 'failed' : 'completed'
    item.output = isError ? null : output
    item.error = isError ? output : null
    tell.done(at, item)
  }
  function handOut({ toolUseId, toolName, toolInput }: ToolCall) {
    const id = itemId('fc', place, toolUseId)
    const given = { name: toolName, arguments: JSON.stringify(toolInput) }
    const { at, item } = add<FunctionCall>({
      type: 'function_call',
      id,
      call_id: toolUseId,
      ...given,
      status: 'completed',
    })
    tell.done(at, item)
  }
  function card({ toolUseId, toolName, expiresAt, ...rest }: Card) {
    if (cards.has(toolUseId)) return
    const text = cardLine({ toolUseId, toolName, expiresAt, ...rest })
    const shown = add<Confirmation>({
      type: 'jarvis:confirmation',
      id: itemId('jc', place, toolUseId),
      status: 'in_progress',
      tool_use_id: toolUseId,
      name: toolName,
      text,
      expires_at: Math.floor(expiresAt / 1000),
      decision: null,
    })
    cards.set(toolUseId, shown)
  }
  function decided(toolUseId: string, decision: Decision | null) {
    const shown = cards.get(toolUseId)
    if (shown === undefined || shown.item.status === 'completed') return
    shown.item.status = 'completed'
    shown.item.decision = decision
    tell.done(shown.at, shown.item)
  }

  return {
    items,
    card,
    think,
    /** A piece of the turn that streams. */
    text(delta: string) {
      // Between turns come empty lines, which two items need not.
      const piece = open === undefined ? delta.replace(/^\n+/, '') : delta
      if (piece === '') return
      open ??= add(messageOf(itemId('msg', place, `t${turns}`)))
      tell.text(open.at, open.item, piece)
    },
    /** Words of JARVIS itself. @param id names them within the response */
    say,
    hear(entry: Entry) {
      if (entry.type === 'assistant') {
        const thought = entry.content.flatMap((item) => (item.type === 'thinking' ? item.text : [])).join('')
        if (thinking === undefined) think(thought)
        closeThinking(thought)
        const words = entry.content.flatMap((item) => (item.type === 'text' ? item.text : [])).join('')
        if (open !== undefined) close(open, words)
        else if (words.trim() !== '') say(`t${turns}`, words)
        open = undefined
        turns += 1
        for (const call of callsIn(entry)) known.set(call.toolUseId, call)
      } else if (entry.type === 'tool_use') begin(entry)
      else if (entry.type === 'confirm_needed') card(entry)
      else if (entry.type === 'confirm_resolved') decided(entry.toolUseId, entry.decision)
      if (!settles(entry)) return
      const call = known.get(callIdOf(entry))
      if (call === undefined) return
      if (entry.type !== 'tool_result') settle(call, wordsOf(entry), true)
      else if (entry.isHandedOut) handOut(call)
      else settle(call, entry.result, entry.isError)
    },
    /** Closes what is open at the end of the response. */
    end(text = '') {
      closeThinking(thinking?.text ?? '')
      if (open !== undefined) close(open, text)
      open = undefined
    },
  }
}

const wordsOf = (entry: Extract<Entry, { type: 'blocked' | 'confirm_resolved' }>): string =>
  entry.type === 'blocked'
    ? `JARVIS refused it: ${entry.reason}`
    : `It was ${entry.decision}${entry.note === undefined ? '' : `: ${entry.note}`}. Nothing was run.`

const nobody: ItemListener = { added() {}, text() {}, done() {} }

/** The items of a run that is stored. */
export function itemsOf(place: Place, entries: readonly Entry[]): Item[] {
  const made = createItems(place, nobody)
  for (const entry of entries) made.hear(entry)
  return made.items
}
