import type { Content, Usage } from 'protocol'
import { noUsage } from 'protocol'
import { unfitInput } from '../lib/depth.ts'
import { createEndlessWatch, type Endless, type EndlessWatch, firstRound } from './endless.ts'
import { type Model, ModelError, type ModelRequest, type ModelSink, type Turn } from './model.ts'
import type { StreamRedactor } from './ports.ts'
import { isBrokenOff } from './retry.ts'
import type { Run } from './run.ts'
import type { Draft } from './sessions/entries.ts'
import type { OpenStream } from './token-pump.ts'
import { timesWritten, type Unmade, unmadeWords } from './unmade.ts'
import { writtenCalls } from './written-calls.ts'

type Kind = 'text' | 'thinking'

export type ModelCallParts = {
  run: Run
  model: Model
  request: ModelRequest
  signal: AbortSignal
  /** Maximum tokens of the answer that was asked for. */
  mostTokens: number
  openStream: OpenStream
  redactors: { text: StreamRedactor; thinking: StreamRedactor }
  redact(text: string): string
  /** Stores the model’s turn. */
  keep(turn: Extract<Draft, { type: 'assistant' }>): void
  /** Called when more text has streamed: text that would be lost if the process were killed now. */
  checkpoint(): void
  /** Asks the model, with retries. */
  generate(sink: ModelSink, signal: AbortSignal): Promise<Turn>
}

/** One call of a model for a run, from its first token to its stored turn. Stops a stream that repeats itself or is far too long. */
export class ModelCall {
  readonly #parts: ModelCallParts
  readonly #stream: ReturnType<OpenStream>
  readonly #endless = new AbortController()
  readonly #watches: { [K in Kind | 'call']: EndlessWatch }
  /** The usage that the provider has reported so far. */
  #counted: Usage | undefined

  constructor(parts: ModelCallParts) {
    this.#parts = parts
    const { redactors, mostTokens } = parts
    // Redacts once a frame and not once a delta, because that is cheaper.
    this.#stream = parts.openStream((kind, text) => this.#show(kind, redactors[kind].push(text)))
    this.#watches = {
      text: createEndlessWatch(mostTokens),
      thinking: createEndlessWatch(mostTokens),
      call: createEndlessWatch(mostTokens),
    }
  }

  /**
   * Makes the call and stores its turn. If the stream breaks or is aborted, the text so far is stored too, marked `interrupted`.
   * @throws ModelError, after the text so far is stored
   */
  async make(): Promise<void> {
    const { signal, generate } = this.#parts
    try {
      const turn = await generate(this.#sink(), AbortSignal.any([signal, this.#endless.signal]))
      this.#endless.signal.throwIfAborted()
      this.#finishStream()
      this.#keepWhole(turn)
    } catch (error) {
      this.#keepBroken(error)
    }
  }

  #show(kind: Kind, text: string): void {
    if (text === '') return
    this.#parts.run.stream(kind, text)
    this.#parts.checkpoint()
  }

  #sink(): ModelSink {
    return {
      text: (delta) => this.#push('text', delta),
      thinking: (delta) => this.#push('thinking', delta),
      call: (delta) => this.#watch('call', delta),
      takeBack: () => {
        this.#stream.flush()
        this.#show('text', this.#parts.redactors.text.flush())
        this.#parts.run.takeBack()
      },
      usage: (usage) => {
        this.#counted = usage
      },
    }
  }

  #push(kind: Kind, delta: string): void {
    if (this.#endless.signal.aborted) return
    this.#stream.push(kind, delta)
    this.#watch(kind, delta)
  }

  #watch(kind: Kind | 'call', delta: string): void {
    const found = this.#watches[kind](delta)
    if (found !== undefined) this.#endless.abort(withoutEnd(found, kind))
  }

  #finishStream(): void {
    const { redactors } = this.#parts
    this.#stream.flush()
    this.#show('thinking', redactors.thinking.flush())
    this.#show('text', redactors.text.flush())
  }

  #keepWhole(turn: Turn): void {
    const { run, request, redact } = this.#parts
    const { content, stopReason } = inOrder(turn, request.mayCallTools)
    const all = content.map((item) => cleaned(item, redact))
    const unmade = unmadeIn(turn, all, request)
    if (unmade !== undefined) {
      const words = unmadeWords(unmade, timesWritten(run.entries) > 0)
      const line = all.some(({ type }) => type === 'text') ? `\n\n${words}` : words
      this.#show('text', line)
      all.push({ type: 'text', text: line })
    }
    const suggestions = turn.suggestions?.map((sentence) => redact(sentence))
    this.#keep({
      content: all,
      stopReason,
      usage: turn.usage,
      isUsagePartial: turn.isUsagePartial,
      unmade,
      suggestions,
      isAsked: turn.isAsked,
    })
  }

  /**
   * Stores the text of a call that broke off. Also called when the server stops, so that the next start resumes the run. @throws the error, unless
   * the run was stopped
   */
  #keepBroken(thrown: unknown): void {
    const { run, signal } = this.#parts
    const isEndless = this.#endless.signal.aborted && !signal.aborted
    const error: unknown = isEndless ? this.#endless.signal.reason : thrown
    this.#finishStream()
    const usage = (error instanceof ModelError ? error.usage : undefined) ?? this.#counted
    const text = isEndless ? firstRound(run.partial.text) : run.partial.text
    const said = text === '' ? [] : [{ type: 'text' as const, text }]
    const mayHaveCost = run.isStopped || said.length > 0 || usage !== undefined || isBrokenOff(error)
    if (mayHaveCost)
      this.#keep({ content: said, stopReason: 'interrupted', usage: usage ?? noUsage, isUsagePartial: true })
    if (!run.isStopped) throw error
  }

  #keep(turn: {
    content: Content[]
    stopReason: Turn['stopReason']
    usage: Usage
    isUsagePartial?: true | undefined
    unmade?: Unmade | undefined
    suggestions?: string[] | undefined
    isAsked?: true | undefined
  }): void {
    const { run, model, keep } = this.#parts
    const { content, stopReason, usage, isUsagePartial, unmade, suggestions, isAsked } = turn
    run.endTurn()
    keep({
      type: 'assistant',
      model: model.id,
      content,
      usage,
      stopReason,
      ...(isUsagePartial && { isUsagePartial }),
      unmade,
      suggestions,
      ...(isAsked && { isAsked }),
    })
  }
}

const withoutEnd = (how: Endless, what: 'text' | 'thinking' | 'call') => {
  const did =
    how === 'repeats'
      ? 'The model said the same again and again'
      : 'The model wrote more than it was asked for without coming to an end'
  const where =
    what === 'call' ? ' in the arguments of a call, and was stopped. The call was not run.' : ', and was stopped.'
  return new ModelError('model_stream_broken', `${did}${where} Ask again, or choose another model.`, {
    isRetryable: false,
    hasSpoken: true,
  })
}

/** Finds calls of a reply that are not run, because the model wrote them as text or the reply was cut off inside one. */
function unmadeIn(
  { stopReason, cutCall, content: given }: Turn,
  content: readonly Content[],
  { tools, format }: ModelRequest,
): Unmade | undefined {
  const dropped = given.find(({ type }) => type === 'tool_call')
  const cut = cutCall ?? (dropped?.type === 'tool_call' ? dropped.toolName : undefined)
  if (stopReason === 'max_tokens') return cut === undefined ? undefined : { why: 'cut', toolNames: [cut.slice(0, 80)] }
  const isWords = stopReason === 'end_turn' && !content.some(({ type }) => type === 'tool_call')
  // An answer in a requested format, such as JSON, is not a call.
  if (!isWords || format !== undefined) return undefined
  const text = content.flatMap((item) => (item.type === 'text' ? item.text : [])).join('\n')
  const toolNames = writtenCalls(
    text,
    tools.map(({ name }) => name),
  )
  return toolNames.length === 0 ? undefined : { why: 'text', toolNames }
}

const outOfSteps = 'I have taken all the steps I may take for one question, and have no answer yet. Ask me to go on.'

/** Makes stop reason and content agree. Drops the calls of a reply that was cut off or may not call tools. */
function inOrder(turn: Turn, mayCallTools: boolean): Pick<Turn, 'content' | 'stopReason'> {
  const mayRun = mayCallTools && (turn.stopReason === 'tool_use' || turn.stopReason === 'end_turn')
  const content = mayRun ? turn.content : turn.content.filter(({ type }) => type !== 'tool_call')
  const hasCalls = content.some(({ type }) => type === 'tool_call')
  if (hasCalls) return { content, stopReason: 'tool_use' }
  // A model that used up its turns on tool calls may answer without text. A person still needs an answer, so JARVIS adds one.
  const isMute = !content.some((item) => item.type === 'text' && item.text.trim() !== '')
  const rest = isMute ? content.filter(({ type }) => type !== 'text') : content
  if (isMute && !mayCallTools && turn.stopReason !== 'refusal')
    return { content: [...rest, { type: 'text', text: outOfSteps }], stopReason: 'end_turn' }
  return { content: rest, stopReason: turn.stopReason === 'tool_use' ? 'end_turn' : turn.stopReason }
}

/**
 * Redacts one item of a reply. Signed thinking must go back to its provider unchanged, so it is redacted only for clients. A call with unusable
 * input is marked malformed.
 */
const cleaned = (item: Content, redact: (text: string) => string): Content => {
  const unfit = item.type === 'tool_call' ? unfitInput(item.toolInput) : undefined
  if (item.type === 'tool_call' && unfit !== undefined) return { ...item, toolInput: {}, malformed: unfit }
  return item.type === 'text' || (item.type === 'thinking' && item.signature === undefined)
    ? { ...item, text: redact(item.text) }
    : item
}
