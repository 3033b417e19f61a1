const goWithinMs = 1_500
/** A third letter within this time makes the two before it the start of a word. */
const wordWithinMs = 350

const pageKeys: Record<string, string> = {
  c: '/',
  e: '/sessions',
  l: '/cluster',
  w: '/waiting',
  j: '/journal',
  t: '/tools',
  m: '/memory',
  s: '/settings',
  y: '/system',
}

/** The field that takes words on this page; undefined where there is none or nothing can be written. */
function composer(): HTMLTextAreaElement | undefined {
  const field = document.getElementById('composer')
  return field instanceof HTMLTextAreaElement && !field.disabled ? field : undefined
}

function focusEnd(field: HTMLTextAreaElement): void {
  field.focus()
  field.setSelectionRange(field.value.length, field.value.length)
}

/**
 * Letters that are pressed where no field has the focus. `g` and a letter go to a page; where there is a composer all
 * other letters are words and go into it, with a `g` that turned out to begin one, so that nothing typed is lost.
 */
export class Typing {
  #held = ''
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #go: (page: string) => void

  constructor(go: (page: string) => void) {
    this.#go = go
  }

  /** Whether letters before this one are held back. */
  get isHolding(): boolean {
    return this.#held !== ''
  }

  /** Takes a key without modifiers. @param goes whether letters may go to pages */
  take(event: KeyboardEvent, goes: boolean): void {
    clearTimeout(this.#timer)
    const before = this.#held
    this.#held = ''
    const field = composer()
    if (event.key.length > 1) {
      if (before.length === 2) this.#goTo(before)
      return
    }
    if (before === '' && event.key === 'g' && goes) {
      event.preventDefault()
      this.#hold('g', goWithinMs, () => field !== undefined && this.#write(field, 'g'))
    } else if (before === 'g' && pageKeys[event.key] !== undefined) {
      event.preventDefault()
      const keys = before + event.key
      if (field === undefined) this.#goTo(keys)
      else this.#hold(keys, wordWithinMs, () => this.#goTo(keys))
    } else if (field !== undefined && before !== '') {
      event.preventDefault()
      this.#write(field, before + event.key)
      // A space scrolls.
    } else if (field !== undefined && event.key !== ' ') focusEnd(field)
  }

  #hold(keys: string, ms: number, then: () => void): void {
    this.#held = keys
    this.#timer = setTimeout(() => {
      this.#held = ''
      then()
    }, ms)
  }

  #goTo(keys: string): void {
    const page = pageKeys[keys[1] ?? '']
    if (page !== undefined) this.#go(page)
  }

  /** As if it were typed. */
  #write(field: HTMLTextAreaElement, words: string): void {
    focusEnd(field)
    document.execCommand('insertText', false, words)
  }
}
