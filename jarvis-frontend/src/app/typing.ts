import type { Page } from './page-list.ts'

const goWithinMs = 1_500
/** If a third letter follows within this time, ms, the first two letters are typed as text instead of opening a page. */
const wordWithinMs = 350

/** Modifier keys that only change the meaning of the next key. */
const modifiers = new Set(['Shift', 'AltGraph', 'CapsLock'])

/** A field for text: `focus` puts the caret at its end, `write` inserts text there. */
export type Field = { focus(): void; write(words: string): void }

/** The page's composer; undefined if the page has none or it is disabled. */
export function composer(): Field | undefined {
  const field = document.getElementById('composer')
  if (!(field instanceof HTMLTextAreaElement) || field.disabled) return undefined
  const focus = () => {
    field.focus()
    field.setSelectionRange(field.value.length, field.value.length)
  }
  return {
    focus,
    write(words) {
      focus()
      document.execCommand('insertText', false, words)
    },
  }
}

/** Moves the focus from an empty composer to the conversation, where arrow keys scroll and single letters are shortcuts. */
export function leaveEmptyComposer(): void {
  const field = document.getElementById('composer')
  if (!(field instanceof HTMLTextAreaElement) || field !== document.activeElement || field.value !== '') return
  const next = document.querySelector<HTMLElement>('.stream') ?? document.getElementById('main')
  next?.focus({ preventScroll: true })
}

/**
 * Handles letters that are pressed while no field has the focus. `g` and a letter open a page. If the page has a composer, all other letters are
 * written there, together with a held `g` that turned out to begin a word.
 */
export class Typing {
  #held = ''
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #pages: readonly Page[]
  readonly #go: (path: string) => void
  readonly #fieldNow: () => Field | undefined

  /** @param pages pages that open by their key after `g` */
  constructor(pages: readonly Page[], go: (path: string) => void, fieldNow: () => Field | undefined) {
    this.#pages = pages
    this.#go = go
    this.#fieldNow = fieldNow
  }

  /** True if earlier letters wait for the next key. */
  get isHolding(): boolean {
    return this.#held !== ''
  }

  /** Handles a key pressed without modifiers. @param goes true if `g` may open pages */
  take(event: Pick<KeyboardEvent, 'key' | 'preventDefault'>, goes: boolean): void {
    if (modifiers.has(event.key)) return
    clearTimeout(this.#timer)
    const before = this.#held
    this.#held = ''
    const field = this.#fieldNow()
    if (event.key.length > 1) {
      if (before.length === 2) this.#goTo(before)
      return
    }
    if (before === '' && event.key === 'g' && goes) {
      event.preventDefault()
      this.#hold('g', goWithinMs, () => field?.write('g'))
    } else if (before === 'g' && this.#pathOf(event.key) !== undefined) {
      event.preventDefault()
      const keys = before + event.key
      if (field === undefined) this.#goTo(keys)
      else this.#hold(keys, wordWithinMs, () => this.#goTo(keys))
    } else if (field !== undefined && before !== '') {
      event.preventDefault()
      field.write(before + event.key)
      // A space scrolls the page, so it does not focus the composer.
    } else if (field !== undefined && event.key !== ' ') field.focus()
  }

  #hold(keys: string, ms: number, then: () => void): void {
    this.#held = keys
    this.#timer = setTimeout(() => {
      this.#held = ''
      then()
    }, ms)
  }

  #goTo(keys: string): void {
    const path = this.#pathOf(keys[1])
    if (path !== undefined) this.#go(path)
  }

  #pathOf(letter: string | undefined): string | undefined {
    return this.#pages.find(({ key }) => key !== undefined && key === letter)?.path
  }
}
