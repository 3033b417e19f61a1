import type { Entry, EntryOf, Question, StreamEvents, Tier } from 'protocol'
import { callWords } from '../../calls/call-words.ts'
import { cardLines } from './card.ts'
import { columns, countOf, dayOf, markOf, type Style, timeOf } from './style.ts'
import { visible, visibleLines } from './visible.ts'

/** An event of a session's stream, or an entry of its transcript under the name of its event. */
export type Told = { [E in keyof StreamEvents]: { event: E; data: StreamEvents[E] } }[keyof StreamEvents]

export const toldOf = ({ type, ...entry }: Entry, sessionId: string): Told =>
  ({ event: `chat:${type}`, data: { sessionId, ...entry } }) as Told

type Options = {
  style: Style
  now(): number
  /** Prints a line about an event. */
  say(line: string): void
  /** Prints a piece of the answer's text. Absent: the answer is not printed. */
  text?(piece: string): void
  /** Prints people's messages too, with times. */
  isReplay?: true
}

/** A line about a call. `came`: the call's outcome. */
type Row = { tier: Tier | undefined; runId: string; words: string; came: string; tookMs?: number | undefined }

/** Prints a session event by event. Texts other than JARVIS's own words are untrusted, so their control characters never reach the terminal. */
export class Printer {
  readonly #options: Options
  readonly #calls = new Map<string, { tier?: Tier; words: string }>()
  /** Agents of child runs, by run. */
  readonly #children = new Map<string, string>()
  /** Text of the streaming turn that was printed so far. */
  #shown = ''
  #begunAt: number | undefined
  #called = 0

  constructor(options: Options) {
    this.#options = options
  }

  /** Ends the streaming line, so that another line can be printed. */
  rest(): void {
    if (this.#shown !== '' && !this.#shown.endsWith('\n')) this.#options.text?.('\n')
    this.#shown = ''
  }

  tell({ event, data }: Told): void {
    const { style } = this.#options
    switch (event) {
      case 'chat:user':
        this.#begin(data)
        return
      case 'chat:token':
        if (!this.#children.has(data.runId)) this.#write(data.text)
        return
      case 'chat:taken_back':
        if (!this.#children.has(data.runId)) this.#line(style.dim('(The model was thinking so far.)'))
        return
      case 'chat:partial':
        if (data.text !== '') this.#whole(data.text)
        return
      case 'chat:assistant':
        this.#assistant(data)
        return
      case 'chat:tool_use':
        this.#calls.set(data.toolUseId, { tier: data.tier, words: callWords(data) })
        return
      case 'chat:tool_progress':
        this.#line(style.dim(`    ${visible(data.message)}`))
        return
      case 'chat:tool_result':
        this.#result(data)
        return
      case 'chat:blocked':
        this.#row({
          tier: 'black',
          runId: data.runId,
          words: callWords(data),
          came: `refused: ${visible(data.reason)}`,
        })
        return
      case 'chat:confirm_needed':
        this.#line('')
        for (const each of cardLines(data, this.#options.now(), style)) this.#line(each)
        return
      case 'chat:confirm_resolved':
        if (data.replacedBy === undefined)
          this.#line(
            `${style.red('|')} ${data.decision} by ${visible(data.by)}${data.note === undefined ? '' : `: ${visible(data.note)}`}`,
          )
        return
      case 'chat:question':
        for (const each of questionLines(data, style)) this.#line(each)
        return
      case 'chat:question_resolved':
        this.#line(`? ${data.end} by ${visible(data.by)}`)
        return
      case 'chat:subrun':
        this.#tellChild(data as unknown as EntryOf<'subrun'>)
        return
      case 'chat:plan':
        for (const item of data.items) this.#line(`  [${item.state === 'done' ? 'x' : ' '}] ${visible(item.text)}`)
        return
      case 'chat:reconciled':
        this.#line(
          `Found out later, of ${this.#calls.get(data.toolUseId)?.words ?? data.toolUseId}: ${visible(data.text)}`,
        )
        return
      case 'chat:compaction':
        this.#folded(data)
        return
      case 'chat:notice':
        this.#line(style.dim(visible(data.message)))
        return
      case 'chat:budget':
      case 'chat:stuck':
        this.#line(visible(data.text))
        return
      case 'chat:error':
        this.#line(style.red(`The model failed: ${visible(data.error)}`))
        return
      case 'chat:done':
        if (!this.#children.has(data.runId)) this.#end(data)
        return
      default:
    }
  }

  #begin({ at, text, by }: StreamEvents['chat:user']): void {
    const { style, isReplay } = this.#options
    this.#begunAt = at
    this.#called = 0
    if (isReplay !== true) return
    const time = `${style.dim(timeOf(at))} `
    this.#line(`\n${time}${style.bold(`> ${visibleLines(text)}`)}  ${style.dim(visible(by))}`)
  }

  #assistant({ content, runId }: StreamEvents['chat:assistant']): void {
    for (const part of content)
      if (part.type === 'tool_call') this.#calls.set(part.toolUseId, { words: callWords(part) })
    if (this.#children.has(runId)) return
    const said = content.map((part) => (part.type === 'text' ? part.text : '')).join('')
    if (said !== '') this.#whole(said)
    this.rest()
  }

  #result(data: StreamEvents['chat:tool_result']): void {
    const { style } = this.#options
    const { tier, words = 'call' } = this.#calls.get(data.toolUseId) ?? {}
    const came =
      data.isUnknown === true
        ? style.yellow(`? unknown: ${visible(data.summary)}`)
        : data.isError
          ? style.red(`failed: ${visible(data.summary)}`)
          : visible(data.summary)
    this.#row({ tier, runId: data.runId, words, came, tookMs: data.durationMs })
  }

  #folded({ what, count, tokensBefore, tokensAfter }: StreamEvents['chat:compaction']): void {
    if (what !== 'turns') return
    const tokens = `${countOf(tokensBefore)} -> ${countOf(tokensAfter)} tokens`
    this.#line(this.#options.style.dim(`${count} entries folded, ${tokens}`))
  }

  #end(data: StreamEvents['chat:done']): void {
    const { inputTokens, cacheReadTokens, cacheWriteTokens } = data.usage
    const parts = [
      ...(this.#begunAt === undefined ? [] : [spanMs(data.at - this.#begunAt)]),
      ...(this.#called === 0 ? [] : [`${this.#called} ${this.#called === 1 ? 'call' : 'calls'}`]),
      `${countOf(inputTokens + cacheReadTokens + cacheWriteTokens)} in`,
      ...(data.costUsd === undefined ? [] : [`$${data.costUsd.toFixed(2)}`]),
      ...(data.stopReason === 'end_turn' ? [] : [data.stopReason.replaceAll('_', ' ')]),
    ]
    this.#line(this.#options.style.dim(parts.join('   ')))
  }

  #tellChild(entry: EntryOf<'subrun'>): void {
    if (entry.change === 'end') {
      this.#line(`${visible(entry.agent)} ${entry.state}: ${visible(entry.summary)}`)
      return
    }
    this.#children.set(entry.runId, entry.agent)
    this.#line(`${visible(entry.agent)} works for ${visible(entry.for)}: ${visible(entry.task)}`)
  }

  #row({ tier, runId, words, came, tookMs }: Row): void {
    const { style } = this.#options
    this.#called += 1
    const indent = this.#children.has(runId) ? '  ' : ''
    const mark = tier === undefined ? ' '.repeat(10) : markOf(tier, style)
    const took = tookMs === undefined ? '' : style.dim(`  ${spanMs(tookMs)}`)
    for (const each of columns([[`${indent}${mark}`, visible(words), `${came}${took}`]], style)) this.#line(each)
  }

  #line(words: string): void {
    this.rest()
    this.#options.say(words)
  }

  #write(piece: string): void {
    this.#shown += piece
    this.#options.text?.(visibleLines(piece))
  }

  /** Prints the part of a turn that is not printed yet, also after an interrupted stream. */
  #whole(all: string): void {
    const isGoingOn = all.startsWith(this.#shown)
    const piece = isGoingOn ? all.slice(this.#shown.length) : all
    if (!isGoingOn) this.rest()
    this.#write(piece)
  }
}

const spanMs = (ms: number) =>
  ms < 1_000 ? `${Math.round(ms)} ms` : ms < 120_000 ? `${Math.round(ms / 1_000)} s` : `${Math.round(ms / 60_000)} min`

/** A question with its options, counted from 1. */
export function questionLines(question: Question, style: Style): string[] {
  const who = question.server === undefined ? '' : ` by the server ${visible(question.server)}`
  return [
    `${style.bold('?')} Question${who} ${visible(question.questionId)}, until ${dayOf(question.expiresAt)}`,
    ...(question.message === undefined ? [] : [`  ${visible(question.message)}`]),
    ...(question.url === undefined ? [] : [`  ${visible(question.url)}`]),
    ...question.items.flatMap(({ text: asked, options, hint }) => [
      `  ${style.bold(visible(asked))}${hint === undefined ? '' : `  ${visible(hint)}`}`,
      ...options.map(
        ({ label, note }, index) =>
          `    ${index + 1}. ${visible(label)}${note === undefined ? '' : `  ${visible(note)}`}`,
      ),
    ]),
  ]
}
