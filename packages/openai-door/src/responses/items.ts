import type { Card, Decision, Entry, EntryOf, ToolCall } from 'protocol'
import { callIdOf, callsIn, settles } from 'protocol/settles'
import { cardLine } from '../card-words.ts'
import { type Citation, citationOf } from '../containers.ts'
import { itemId, type Place } from './place.ts'

type Status = 'in_progress' | 'completed'
type Text = { type: 'output_text'; text: string; annotations: readonly Citation[]; logprobs: [] }
export type MessageItem = { type: 'message'; id: string; status: Status; role: 'assistant'; content: Text[] }
/** The model's thinking in a turn, as the provider sends it. */
export type ReasoningItem = {
  type: 'reasoning'
  id: string
  status: Status
  summary: { type: 'summary_text'; text: string }[]
}
/** A call of one of JARVIS's tools. It ran in JARVIS or was refused there. */
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

/** Receives the items of a response as they are created. `item` is in its present state. */
export type ItemListener = {
  added(index: number, item: Item): void
  text(index: number, item: MessageItem | ReasoningItem, delta: string): void
  done(index: number, item: Item): void
}

export const summaryOf = (text: string) => ({ type: 'summary_text' as const, text })
export const textOf = (text: string, annotations: readonly Citation[] = []): Text => ({
  type: 'output_text',
  text,
  annotations,
  logprobs: [],
})

const messageOf = (id: string): MessageItem => ({
  type: 'message',
  id,
  status: 'in_progress',
  role: 'assistant',
  content: [],
})

/** An item and its index in the response. */
type Placed<I extends Item> = { at: number; item: I }

/** The items of a response, built from the entries and events of its run. Live events and stored entries give the same items with the same ids. */
export class ResponseItems {
  readonly #place: Place
  readonly #tell: ItemListener
  readonly #items: Item[] = []
  readonly #known = new Map<string, ToolCall>()
  readonly #calls = new Map<string, Placed<McpCall>>()
  readonly #cards = new Map<string, Placed<Confirmation>>()
  #open: Placed<MessageItem> | undefined
  #thinking: (Placed<ReasoningItem> & { text: string }) | undefined
  #turns = 0
  /** Files that calls wrote, and that no text has named yet. */
  readonly #files = new Set<string>()

  constructor(place: Place, tell: ItemListener) {
    this.#place = place
    this.#tell = tell
  }

  /** The items so far, in the order of the response. */
  get all(): readonly Item[] {
    return this.#items
  }

  /** Adds a piece of text of the present turn. */
  text(delta: string): void {
    // Blank lines separate turns in a text; separate items do not need them.
    const piece = this.#open === undefined ? delta.replace(/^\n+/, '') : delta
    if (piece === '') return
    this.#open ??= this.#add(messageOf(itemId('msg', this.#place, `t${this.#turns}`)))
    this.#tell.text(this.#open.at, this.#open.item, piece)
  }

  /** Adds a piece of the model's thinking. */
  think(delta: string): void {
    if (delta === '') return
    this.#thinking ??= {
      ...this.#add<ReasoningItem>({
        type: 'reasoning',
        id: itemId('rs', this.#place, `t${this.#turns}`),
        status: 'in_progress',
        summary: [],
      }),
      text: '',
    }
    this.#thinking.text += delta
    this.#tell.text(this.#thinking.at, this.#thinking.item, delta)
  }

  /** Adds a text from JARVIS itself. @param id identifies the text within the response */
  say(id: string, text: string): void {
    this.#close(this.#add(messageOf(itemId('msg', this.#place, id))), text)
  }

  /** Adds a card that waits for a person. */
  card(card: Card): void {
    const { toolUseId, toolName, expiresAt } = card
    if (this.#cards.has(toolUseId)) return
    const shown = this.#add<Confirmation>({
      type: 'jarvis:confirmation',
      id: itemId('jc', this.#place, toolUseId),
      status: 'in_progress',
      tool_use_id: toolUseId,
      name: toolName,
      text: cardLine(card),
      expires_at: Math.floor(expiresAt / 1000),
      decision: null,
    })
    this.#cards.set(toolUseId, shown)
  }

  /** Adds an entry of the run, after the entry's text was added. */
  hear(entry: Entry): void {
    if (entry.type === 'assistant') this.#endTurn(entry)
    else if (entry.type === 'tool_use') this.#begin(entry)
    else if (entry.type === 'confirm_needed') this.card(entry)
    else if (entry.type === 'confirm_resolved') this.#decided(entry.toolUseId, entry.decision)
    if (!settles(entry)) return
    const call = this.#known.get(callIdOf(entry))
    if (call === undefined) return
    if (entry.type !== 'tool_result') this.#settle(call, wordsOf(entry), true)
    else if (entry.isHandedOut) this.#handOut(call)
    else {
      for (const path of entry.files ?? []) this.#files.add(path)
      this.#settle(call, entry.result, entry.isError)
    }
  }

  /** Closes what is open at the end of the response. @param text the text of the open message */
  end(text = ''): void {
    this.#closeThinking(this.#thinking?.text ?? '')
    if (this.#open !== undefined) this.#close(this.#open, text)
    this.#open = undefined
  }

  #add<I extends Item>(item: I): Placed<I> {
    const at = this.#items.push(item) - 1
    this.#tell.added(at, item)
    return { at, item }
  }

  #close({ at, item }: Placed<MessageItem>, text: string): void {
    const named = [...this.#files].map((path) => citationOf(this.#place.sessionId, path, text.length))
    this.#files.clear()
    item.content = [textOf(text, named)]
    item.status = 'completed'
    this.#tell.done(at, item)
  }

  #closeThinking(text: string): void {
    if (this.#thinking === undefined) return
    const { at, item } = this.#thinking
    this.#thinking = undefined
    item.summary = [summaryOf(text)]
    item.status = 'completed'
    this.#tell.done(at, item)
  }

  #endTurn(entry: EntryOf<'assistant'>): void {
    const thought = entry.content.flatMap((item) => (item.type === 'thinking' ? item.text : [])).join('')
    if (this.#thinking === undefined) this.think(thought)
    this.#closeThinking(thought)
    const words = entry.content.flatMap((item) => (item.type === 'text' ? item.text : [])).join('')
    if (this.#open !== undefined) this.#close(this.#open, words)
    else if (words.trim() !== '') this.say(`t${this.#turns}`, words)
    this.#open = undefined
    this.#turns += 1
    for (const call of callsIn(entry)) this.#known.set(call.toolUseId, call)
  }

  #begin({ toolUseId, toolName, toolInput }: Pick<ToolCall, 'toolUseId' | 'toolName' | 'toolInput'>): Placed<McpCall> {
    const begun = this.#calls.get(toolUseId)
    if (begun !== undefined) return begun
    const call = this.#add<McpCall>({
      type: 'mcp_call',
      id: itemId('mcp', this.#place, toolUseId),
      status: 'in_progress',
      server_label: 'jarvis',
      name: toolName,
      arguments: JSON.stringify(toolInput),
      approval_request_id: null,
      output: null,
      error: null,
    })
    this.#calls.set(toolUseId, call)
    return call
  }

  #settle(call: ToolCall, output: string, isError: boolean): void {
    const { at, item } = this.#begin(call)
    item.status = isError ? 'failed' : 'completed'
    item.output = isError ? null : output
    item.error = isError ? output : null
    this.#tell.done(at, item)
  }

  #handOut({ toolUseId, toolName, toolInput }: ToolCall): void {
    const { at, item } = this.#add<FunctionCall>({
      type: 'function_call',
      id: itemId('fc', this.#place, toolUseId),
      call_id: toolUseId,
      name: toolName,
      arguments: JSON.stringify(toolInput),
      status: 'completed',
    })
    this.#tell.done(at, item)
  }

  #decided(toolUseId: string, decision: Decision | null): void {
    const shown = this.#cards.get(toolUseId)
    if (shown === undefined || shown.item.status === 'completed') return
    shown.item.status = 'completed'
    shown.item.decision = decision
    this.#tell.done(shown.at, shown.item)
  }
}

const wordsOf = (entry: Extract<Entry, { type: 'blocked' | 'confirm_resolved' }>): string =>
  entry.type === 'blocked'
    ? `JARVIS refused it: ${entry.reason}`
    : `It was ${entry.decision}${entry.note === undefined ? '' : `: ${entry.note}`}. Nothing was run.`

const nobody: ItemListener = { added() {}, text() {}, done() {} }

/** Returns the items of a stored run. */
export function itemsOf(place: Place, entries: readonly Entry[]): readonly Item[] {
  const made = new ResponseItems(place, nobody)
  for (const entry of entries) made.hear(entry)
  return made.all
}
