/**
 * A closing tag without an opening tag makes the text before it reasoning only if that text is at most this long, characters. A closing tag that
 * begins or ends a line has no such limit.
 */
const longestInline = 400

/** The part of the answer that counts. Text that was taken back as reasoning is not included. */
export class AnswerSoFar {
  readonly code = new CodeWatch()
  /** True if a word of the answer was passed on. */
  hasBegun = false
  /** Blank text before the first word. */
  #lead = ''
  /** Length of the answer, characters. */
  #length = 0
  /** Number of opening tags that count as text of the answer, because they stand within a line. */
  #mentions = 0

  /** Adds text to the answer. @returns the text to pass on; undefined if it is blank and nothing was passed on yet */
  say(text: string, hasThought: boolean): string | undefined {
    if (!this.hasBegun && text.trim() === '') {
      this.#lead += text
      return undefined
    }
    const words = this.hasBegun ? text : hasThought ? text.trimStart() : this.#lead + text
    this.hasBegun = true
    this.grow(words)
    return words
  }

  grow(text: string): void {
    this.#length += text.length
    this.code.add(text)
  }

  dropLead(): void {
    this.#lead = ''
  }

  /** Counts an opening tag that is part of a sentence. */
  mention(): void {
    this.#mentions += 1
  }

  /** @returns true if a closing tag belongs to an opening tag that was part of a sentence */
  closesMention(): boolean {
    if (this.#mentions === 0) return false
    this.#mentions -= 1
    return true
  }

  isShort(): boolean {
    return this.#length <= longestInline
  }

  /** True if a closing tag without an opening one may end reasoning at this place. @param after the text that follows the tag */
  mayEndThought(after: string): boolean {
    return this.isShort() || this.code.isLineStart() || /^[ \t]*(?:\r?\n|$)/.test(after)
  }
}

/** Tracks Markdown in a growing text: tells if the end of the text is inside code, or at the start of a line. */
class CodeWatch {
  #line = ''
  #fence: string | undefined

  add(text: string): void {
    const [first = '', ...rest] = text.split('\n')
    this.#line += first
    for (const next of rest) {
      this.#endLine()
      this.#line = next
    }
  }

  isLineStart(): boolean {
    return this.#line.trim() === ''
  }

  /** The last line so far. */
  line(): string {
    return this.#line
  }

  isCode(): boolean {
    if (this.#fence !== undefined || /^\s{0,3}(?:`{3,}|~{3,})/.test(this.#line)) return true
    return (this.#line.match(/`+/g) ?? []).length % 2 === 1
  }

  #endLine(): void {
    const [, mark = ''] = /^\s{0,3}(`{3,}|~{3,})/.exec(this.#line) ?? []
    if (this.#fence === undefined) this.#fence = mark === '' ? undefined : mark
    else if (mark.startsWith(this.#fence) && this.#line.trim() === mark) this.#fence = undefined
    this.#line = ''
  }
}
