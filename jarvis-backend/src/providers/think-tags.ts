import { AnswerSoFar } from './answer-so-far.ts'
import { message, opener, type Tag, tagAt } from './tags.ts'

/**
 * One finding about a reply; findings are given in order. `back`: all text so far was reasoning. `forth`: all reasoning so far was the answer;
 * possible in a reply that was assumed to begin with reasoning. `rest`: the reasoning since the last text was the rest of the answer; `text` is all
 * of it, with its tags.
 */
export type Said =
  | { kind: 'text'; text: string }
  | { kind: 'thought'; text: string }
  | { kind: 'back' }
  | { kind: 'forth' }
  | { kind: 'rest'; text: string }

const longestHeader = 200
/** gpt-oss's channels, if a server strips their marks: `analysisWe need …assistantfinalYes.` */
const strippedStart = /^\s*analysis(?=[A-Z])/
const strippedTurn = /assistant(final|commentary|analysis)/
const mayBecomeCall = /^(?: ?| t| to| to=[^{]{0,200})$/
const longestTurn = 'assistantcommentary'.length

/** True if the start of a reply may turn out to be the start of a stripped channel. */
const mayBeStripped = (text: string) => 'analysis'.startsWith(text.trimStart())

/** True if a tag is part of a sentence about tags: between words, or in quotes. */
const isMention = (before: string, after: string) =>
  (/\S[ \t]+$/.test(before) && /^[ \t]+\S/.test(after)) ||
  (/["'“‘«([]$/.test(before) && /^["'”’»)\].,;:!?]/.test(after))

/** Assumptions about the start of a reply. */
export type ReplyStart = {
  /** The reply is assumed to begin with reasoning, which ends at a closing tag. */
  isInside: boolean
  /** `isInside` is a guess. */
  isGuess: boolean
}

/**
 * The state of the reader. `text`: it reads the answer. `thought`: it reads reasoning. `header`: it reads the header of a channel. `stripped`: it
 * reads reasoning of a channel whose marks the server removed.
 */
type State = 'text' | 'thought' | 'header' | 'stripped'

/** A tag in the text: `written` is the tag with its exact characters, `after` the text received after it. */
type Met = { tag: Tag; written: string; after: string }

/**
 * Separates reasoning that servers send in tags from the answer. Tags may arrive in pieces. A tag inside code or inside a sentence is text. A
 * closing tag without an opening tag means that the prompt held the opening tag. An opening tag in the middle of the answer that is never closed is
 * text.
 */
export class ThinkTags {
  readonly #isGuess: boolean
  #state: State
  /** Text that was received and is not assigned yet. */
  #held = ''
  /** Nothing follows the held text. */
  #isLast = false
  /** True if only blanks were received so far. */
  #isStart = true
  #answer = new AnswerSoFar()
  /** The reasoning that was opened in the middle of the answer, with its opening tag. */
  #opened: string | undefined
  #hasThought = false
  /** The reader assumes that the reply is in reasoning, and no tag has confirmed it. */
  #isAssumed: boolean
  #hasClosedAlone = false
  #hasChannels = false
  #out: Said[] = []

  constructor({ isInside, isGuess }: ReplyStart) {
    this.#isGuess = isGuess
    this.#isAssumed = isInside
    this.#state = isInside ? 'thought' : 'text'
  }

  /** @returns the findings that are certain */
  add(piece: string): Said[] {
    this.#held += piece
    while (this.#held !== '' && this.#read());
    return this.#taken()
  }

  /** Notes that something other than text was received, so that a tag cannot continue after it. */
  pause(): Said[] {
    if (this.#state === 'header') return []
    this.#finish()
    return this.#taken()
  }

  /** Notes that the server sent reasoning separately, without tags. */
  reasoned(): void {
    this.#hasThought = true
    this.#isStart = false
    if (!this.#isAssumed) return
    this.#isAssumed = false
    this.#state = 'text'
  }

  /** Ends the reply. @param mayEndInside the reply may have ended within its reasoning: it was cut, or goes on with calls */
  end(mayEndInside: boolean): Said[] {
    if (this.#state !== 'header') this.#finish()
    else if (!this.#hasChannels && (this.#answer.hasBegun || this.#isAssumed)) this.#leaveHeader()
    this.#held = ''
    if (this.#isAssumed && !mayEndInside) this.#out.push({ kind: 'forth' })
    else if (this.#opened !== undefined && !mayEndInside) this.#out.push({ kind: 'rest', text: this.#opened })
    return this.#taken()
  }

  /** True if a closing tag came whose opening tag was in the prompt. */
  hasClosedAlone(): boolean {
    return this.#hasClosedAlone
  }

  #taken(): Said[] {
    const said = this.#out
    this.#out = []
    return said
  }

  /** Reads the held text as if nothing followed. */
  #finish(): void {
    this.#isLast = true
    while (this.#held !== '' && this.#read());
    this.#isLast = false
    this.#speak(this.#held)
    this.#held = ''
  }

  /**
   * Reads the next part of the held text. @returns true if the rest of the held text can be read now; false if none is left, or if more of the reply
   * must arrive first
   */
  #read(): boolean {
    switch (this.#state) {
      case 'header':
        return this.#readHeader()
      case 'stripped':
        return this.#readStripped()
      case 'text':
      case 'thought':
        if (this.#readStart()) return this.#held !== '' && !this.#isStart
        return this.#readTags()
      default:
        return this.#state satisfies never
    }
  }

  /** Reads the start of the reply. @returns true if the tags need not be read: stripped channels begin, or the text is too short to tell */
  #readStart(): boolean {
    if (!this.#isStart) return false
    const stripped = strippedStart.exec(this.#held)
    if (stripped === null) {
      const isOpen = !this.#isLast && mayBeStripped(this.#held)
      this.#isStart = isOpen || this.#held.trim() === ''
      return isOpen
    }
    this.#isStart = false
    this.#isAssumed = false
    this.#opened = stripped[0].trimStart()
    this.#held = this.#held.slice(stripped[0].length)
    this.#state = 'stripped'
    return true
  }

  /**
   * Reads the answer or the reasoning: passes on the held text up to the first tag that counts.
   * @returns true if the rest of the held text can be read now; false if none is left, or if more of the reply must arrive first
   */
  #readTags(): boolean {
    const held = this.#held
    opener.lastIndex = 0
    let from = 0
    for (let found = opener.exec(held); found !== null; found = opener.exec(held)) {
      const at = found.index
      const met = tagAt(held, at)
      if (met === undefined) continue
      this.#speak(held.slice(from, at))
      from = at
      if (met === 'more') break
      const [written, after] = [held.slice(at, met.end), held.slice(met.end)]
      if (met.tag === 'close' && this.#mustSeeMore(after)) {
        this.#held = held.slice(at)
        return false
      }
      if (this.#meet({ tag: met.tag, written, after })) {
        // The text of a header keeps its tags, because `#readHeader` needs them.
        this.#held = met.tag === 'channel' ? held.slice(at) : after
        return true
      }
      this.#speak(written)
      from = met.end
      opener.lastIndex = from
    }
    const isHeld = from < held.length && tagAt(held, from) === 'more'
    if (!isHeld) this.#speak(held.slice(from))
    this.#held = isHeld ? held.slice(from) : ''
    return false
  }

  /** True if only the text that is still to come says whether a closing tag ends its line. */
  #mustSeeMore(after: string): boolean {
    const decides = this.#state === 'text' ? this.#answer.hasBegun : this.#isAssumed
    return decides && !this.#isLast && /^[ \t]*\r?$/.test(after)
  }

  /** @returns false if the tag is only text */
  #meet(met: Met): boolean {
    return this.#state === 'text' ? this.#meetInAnswer(met) : this.#meetInside(met)
  }

  #meetInAnswer({ tag, written, after }: Met): boolean {
    const { code, hasBegun } = this.#answer
    if (code.isCode()) return false
    const isFirst = !hasBegun || code.isLineStart()
    switch (tag) {
      case 'open':
        if (isFirst) {
          this.#opened = hasBegun ? written : undefined
          this.#begin('thought')
        } else this.#answer.mention()
        return isFirst
      case 'close':
        if (!hasBegun) return true
        if (this.#answer.closesMention() || isMention(code.line(), after)) return false
        if (this.#hasThought ? !isFirst : !this.#answer.mayEndThought(after)) return false
        // Reasoning was marked before this tag, so a long text after that reasoning is the answer and stays.
        if (!this.#hasThought || this.#answer.isShort()) this.#takeBack()
        return true
      case 'channel':
        this.#begin('header')
        return true
      case 'end':
        return this.#hasChannels
      default:
        return tag satisfies never
    }
  }

  #meetInside({ tag, written, after }: Met): boolean {
    const { code } = this.#answer
    if (this.#isAssumed && code.isCode()) return false
    switch (tag) {
      case 'open':
        if (this.#hasThought && !this.#isAssumed) return false
        if (this.#hasThought && !code.isLineStart()) {
          this.#answer.mention()
          return false
        }
        // The reply opens its reasoning itself, so the text before was part of the answer.
        if (this.#hasThought) {
          this.#out.push({ kind: 'forth' })
          this.#answer.hasBegun = true
          this.#opened = written
        }
        this.#isAssumed = false
        return true
      case 'close':
        if (this.#isAssumed && (this.#answer.closesMention() || isMention(code.line(), after))) return false
        if (this.#isAssumed && this.#isGuess && !this.#answer.mayEndThought(after)) return false
        this.#close()
        return true
      case 'channel':
        if (!this.#hasChannels && !this.#isAssumed) return false
        this.#begin('header')
        return true
      case 'end':
        if (this.#hasChannels) this.#close()
        return this.#hasChannels
      default:
        return tag satisfies never
    }
  }

  /**
   * Reads the next part of the held text. @returns true if the rest of the held text can be read now; false if none is left, or if more of the reply
   * must arrive first
   */
  #readHeader(): boolean {
    const end = this.#held.indexOf(message)
    if (end < 0) {
      if (this.#held.length >= longestHeader) this.#leaveHeader()
      return false
    }
    const header = this.#held.slice(0, end)
    const isThought = /<\|channel\|>\s*(?:analysis|thought)/i.test(header)
    const isCall = /\bto=/.test(header)
    if (!this.#hasChannels && this.#answer.hasBegun && !isThought && !isCall) this.#takeBack()
    if (this.#isAssumed && !isThought) this.#close()
    this.#isAssumed = false
    this.#hasChannels = true
    this.#held = this.#held.slice(end + message.length)
    this.#begin(isThought ? 'thought' : 'text')
    // A call in a channel keeps its header, so that later code recognises it as a tool call.
    if (isCall) this.#say(`${header}${message}`)
    return true
  }

  /** The held text began like a header and turned out to be ordinary text. */
  #leaveHeader(): void {
    this.#state = this.#isAssumed ? 'thought' : 'text'
    this.#speak(this.#held)
    this.#held = ''
  }

  /**
   * Reads the next part of the held text. @returns true if the rest of the held text can be read now; false if none is left, or if more of the reply
   * must arrive first
   */
  #readStripped(): boolean {
    const held = this.#held
    const turn = strippedTurn.exec(held)
    const after = turn === null ? '' : held.slice(turn.index + turn[0].length)
    if (turn?.[1] === 'commentary' && !this.#isLast && mayBecomeCall.test(after)) {
      this.#think(held.slice(0, turn.index))
      this.#held = held.slice(turn.index)
      return false
    }
    const end = turn?.index ?? Math.max(0, held.length - (this.#isLast ? 0 : longestTurn))
    this.#think(held.slice(0, end))
    this.#held = turn === null ? held.slice(end) : after
    if (turn === null) return false
    if (turn[1] === 'analysis') return this.#held !== ''
    this.#close()
    // The server removed the channel tags from this tool call. Put the tags back, so that later code recognises the text as a tool call.
    const call = turn[1] === 'commentary' ? /^ to=(\S+?)(?: ?(?:code|json))?(?=\s*\{)/.exec(this.#held) : null
    if (call !== null) {
      this.#say(`<|start|>assistant<|channel|>commentary to=${call[1]}${message}`)
      this.#held = this.#held.slice(call[0].length)
    }
    return this.#held !== ''
  }

  #begin(next: State): void {
    this.#state = next
    this.#answer.dropLead()
  }

  /** Ends the reasoning. */
  #close(): void {
    if (this.#isAssumed) {
      this.#hasClosedAlone = true
      this.#answer = new AnswerSoFar()
    }
    this.#isAssumed = false
    this.#hasThought = true
    this.#opened = undefined
    this.#begin('text')
  }

  /** Turns the answer so far into reasoning. */
  #takeBack(): void {
    this.#out.push({ kind: 'back' })
    this.#hasThought = true
    this.#hasClosedAlone = true
    this.#answer = new AnswerSoFar()
  }

  #speak(text: string): void {
    if (this.#state === 'text') this.#say(text)
    else this.#think(text)
  }

  #say(text: string): void {
    if (text === '') return
    const words = this.#answer.say(text, this.#hasThought)
    if (words !== undefined) this.#out.push({ kind: 'text', text: words })
  }

  #think(text: string): void {
    if (text === '') return
    this.#hasThought ||= text.trim() !== ''
    if (this.#opened !== undefined) this.#opened += text
    if (this.#isAssumed) this.#answer.grow(text)
    this.#out.push({ kind: 'thought', text })
  }
}
