import type { Content, Usage } from 'protocol'
import { noUsage } from 'protocol'
import { unfitInput } from '../lib/depth.ts'
import type { ActiveRun } from './active-run.ts'
import { createEndlessWatch, type Endless, firstRound } from './endless.ts'
import { type Model, ModelError, type ModelRequest, type ModelSink, type Turn } from './model.ts'
import { isBrokenOff } from './retry.ts'
import type { LiveSession } from './sessions/live-session.ts'
import type { Draft } from './sessions/transcript-store.ts'
import type { OpenStream } from './token-pump.ts'
import { timesWritten, type Unmade, unmadeWords } from './unmade.ts'
import { writtenCalls } from './written-calls.ts'

/** Removes secrets from text that arrives in pieces; may hold back a tail that could be the start of one. */
export type StreamRedactor = { push(delta: string): string; flush(): string }

/**
 * Calls the model once for a run and stores its turn. What was streamed before an abort or a broken stream is kept,
 * marked `interrupted`. A stream without an end in sight is broken off.
 * @throws ModelError, after keeping what had come.
 */
export async function callModel(parts: {
  model: Model
  request: ModelRequest
  session: LiveSession
  run: ActiveRun
  signal: AbortSignal
  /** The longest answer that was asked for, tokens. */
  mostTokens: number
  openStream: OpenStream
  redactors: { text: StreamRedactor; thinking: StreamRedactor }
  redact(text: string): string
  keep(turn: Extract<Draft, { type: 'assistant' }>): void
  /** More text has streamed that a killed process would lose. */
  checkpoint(): void
  /** `generate` with retries. */
  generate(model: Model, request: ModelRequest, sink: ModelSink, signal: AbortSignal): Promise<Turn>
}): Promise<void> {
  const { run, session, redactors } = parts
  const { partial } = run
  // The partial text grows with each event, so that a snapshot's text matches its `seq`.
  const show = (kind: 'text' | 'thinking', text: string) => {
    if (text === '') return
    partial[kind] += text
    // A child's words are shown whole: the stream belongs to the run that a person reads.
    if (run.origin.kind !== 'child')
      session.emit(run.row.id, kind === 'text' ? 'chat:token' : 'chat:thinking', { text })
    parts.checkpoint()
  }
  // Redacting per frame is cheaper than per delta.
  let counted: Usage | undefined
  const stream = parts.openStream((kind, text) => show(kind, redactors[kind].push(text)))
  const endless = new AbortController()
  const [ofText, ofThinking, ofCalls] = [1, 2, 3].map(() => createEndlessWatch(parts.mostTokens))
  const watches = { text: ofText, thinking: ofThinking, call: ofCalls }
  const watch = (kind: keyof typeof watches, delta: string) => {
    const found = watches[kind]?.(delta)
    if (found !== undefined) endless.abort(withoutEnd(found, kind))
  }
  const push = (kind: 'text' | 'thinking', delta: string) => {
    if (endless.signal.aborted) return
    stream.push(kind, delta)
    watch(kind, delta)
  }
  const sink: ModelSink = {
    text: (delta) => push('text', delta),
    thinking: (delta) => push('thinking', delta),
    call: (delta) => watch('call', delta),
    takeBack() {
      stream.flush()
      show('text', redactors.text.flush())
      if (partial.text === '') return
      partial.thinking += partial.text
      partial.text = ''
      if (run.origin.kind !== 'child') session.emit(run.row.id, 'chat:taken_back', {})
    },
    usage(usage) {
      counted = usage
    },
  }
  const finishStream = () => {
    stream.flush()
    show('thinking', redactors.thinking.flush())
    show('text', redactors.text.flush())
  }
  const keep = (
    content: Content[],
    stopReason: Turn['stopReason'],
    usage: Usage,
    isUsagePartial = false,
    unmade: Unmade | undefined = undefined,
  ) => {
    partial.text = ''
    partial.thinking = ''
    delete run.notice
    parts.keep({
      type: 'assistant',
      model: parts.model.id,
      content,
      usage,
      stopReason,
      ...(isUsagePartial && { isUsagePartial }),
      ...(unmade !== undefined && { unmade }),
    })
  }

  try {
    const signal = AbortSignal.any([parts.signal, endless.signal])
    const turn = await parts.generate(parts.model, parts.request, sink, signal)
    endless.signal.throwIfAborted()
    finishStream()
    const { content, stopReason } = inOrder(turn, parts.request.mayCallTools)
    const all = content.map((item) => cleaned(item, parts.redact))
    const unmade = unmadeIn(turn, all, parts.request)
    if (unmade !== undefined) {
      const words = unmadeWords(unmade, timesWritten(run.entries) > 0)
      const line = all.some(({ type }) => type === 'text') ? `\n\n${words}` : words
      show('text', line)
      all.push({ type: 'text', text: line })
    }
    keep(all, stopReason, turn.usage, turn.isUsagePartial, unmade)
  } catch (thrown) {
    const isEndless = endless.signal.aborted && !parts.signal.aborted
    const error: unknown = isEndless ? endless.signal.reason : thrown
    // Also when the server is stopping, so that the next start resumes the run where it was.
    finishStream()
    const usage = (error instanceof ModelError ? error.usage : undefined) ?? counted
    const text = isEndless ? firstRound(partial.text) : partial.text
    const said = text === '' ? [] : [{ type: 'text' as const, text }]
    const mayHaveCost = run.abort.signal.aborted || said.length > 0 || usage !== undefined || isBrokenOff(error)
    if (mayHaveCost) keep(said, 'interrupted', usage ?? noUsage, true)
    if (!run.abort.signal.aborted) throw error
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

/** The calls of a reply that are not made: written as text, or cut with the reply. */
function unmadeIn(
  { stopReason, cutCall, content: given }: Turn,
  content: readonly Content[],
  { tools, format }: ModelRequest,
): Unmade | undefined {
  const dropped = given.find(({ type }) => type === 'tool_call')
  const cut = cutCall ?? (dropped?.type === 'tool_call' ? dropped.toolName : undefined)
  if (stopReason === 'max_tokens') return cut === undefined ? undefined : { why: 'cut', toolNames: [cut.slice(0, 80)] }
  const isWords = stopReason === 'end_turn' && !content.some(({ type }) => type === 'tool_call')
  // An answer in a form that was asked for is no call.
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
  // A model that called tools up to the limit may answer without words; a person still needs an answer.
  const isMute = !content.some((item) => item.type === 'text' && item.text.trim() !== '')
  const rest = isMute ? content.filter(({ type }) => type !== 'text') : content
  if (isMute && !mayCallTools && turn.stopReason !== 'refusal')
    return { content: [...rest, { type: 'text', text: outOfSteps }], stopReason: 'end_turn' }
  return { content: rest, stopReason: turn.stopReason === 'tool_use' ? 'end_turn' : turn.stopReason }
}

/** Signed thinking must go back to its provider unchanged; clients get it redacted. */
const cleaned = (item: Content, redact: (text: string) => string): Content => {
  const unfit = item.type === 'tool_call' ? unfitInput(item.toolInput) : undefined
  if (item.type === 'tool_call' && unfit !== undefined) return { ...item, toolInput: {}, malformed: unfit }
  return item.type === 'text' || (item.type === 'thinking' && item.signature === undefined)
    ? { ...item, text: redact(item.text) }
    : item
}
