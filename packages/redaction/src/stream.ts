import { setImmediate } from 'node:timers/promises'
import { redacted } from './assignments.ts'
import { keyName } from './keys.ts'
import type { SearchingRedactor } from './redact.ts'
import { createLegible } from './visible.ts'

export type StreamRedactor = {
  /** Adds text. @returns the text that can be shown now; in ordinary prose it is the delta itself */
  push(delta: string): string
  /** Ends the text. @returns the text that was held back */
  flush(): string
}

/** Characters of shown text that are examined again, because the end of a delta may cut a secret anywhere: `password: ` and then its value. */
const window = 96
/** Characters before a delta that may become suspicious only together with the delta. */
const overlap = 40
/** Maximum number of characters that are held back. Longer unfinished text is shown redacted, or treated as a secret. */
const maxHeld = 8192
/** A longer delta is read in pieces of this length, because the search for an unfinished secret is quadratic in the worst case. */
const maxPiece = 16_384
const keyBegin = new RegExp(`-{4,5} ?BEGIN ${keyName}`, 'g')
const keyEnd = new RegExp(`-{4,5} ?END ${keyName}`)

/** Redacts text that arrives in pieces. Holds back only an end that could still become a secret. At most a secret's prefix (`sk-`) is shown. */
export function createStreamRedactor(redactor: SearchingRedactor): StreamRedactor {
  let shown = ''
  let held = ''
  /** Number of further characters for which the last suspicious place stays in the window. */
  let alert = 0
  /** The pattern that ends a long secret, while the rest of the secret is dropped; otherwise undefined. */
  let swallowing: RegExp | undefined
  /** True: the shown text ends with the redacted value of a secret that is longer than `maxHeld`, and the next delta may continue this value. */
  let isOpen = false

  function show(text: string): string {
    const before = redactor.text(shown)
    const after = redactor.text(shown + text)
    const visible = after.startsWith(before) ? after.slice(before.length) : after.slice(sharedLength(before, after))
    shown = (shown + visible).slice(-window)
    return visible
  }

  /** Tests if further text would belong to the redacted value at the end. */
  const goesOn = (safe: string) => safe.endsWith(redacted) && redactor.text(`${safe}x`) === safe

  function push(delta: string): string {
    let visible = ''
    for (let at = 0; at < delta.length; at += maxPiece) visible += pushPiece(delta.slice(at, at + maxPiece))
    return visible
  }

  function pushPiece(delta: string): string {
    let next = delta
    if (swallowing !== undefined) {
      held += delta
      const end = swallowing.exec(held)
      if (end === null) {
        held = held.slice(-window)
        return ''
      }
      next = held.slice(end.index + end[0].length)
      held = ''
      swallowing = undefined
    }
    const near = shown.slice(-overlap) + next
    alert = redactor.isSuspicious(near) ? window : alert - next.length
    if (held === '' && !isOpen && alert <= 0 && !redactor.holdsOwn(near)) {
      shown = next.length < window ? (shown + next).slice(-window) : next.slice(-window)
      return next
    }
    const all = shown + held + next
    const unended = lastKey(all)
    if (unended !== -1) {
      const visible = show(all.slice(shown.length))
      swallowing = keyEnd
      held = all.slice(unended).slice(-window)
      return visible
    }
    const upTo = Math.max(redactor.unfinishedAt(all), shown.length)
    held = all.slice(upTo)
    const visible = show(all.slice(shown.length, upTo))
    isOpen = isOpen && shown.endsWith(redacted)
    if (held.length <= maxHeld) return visible
    const rest = held.trimEnd()
    isOpen = rest !== '' && goesOn(redactor.text(shown + rest).slice(-window))
    if (isOpen) {
      held = held.slice(rest.length)
      return visible + show(rest)
    }
    swallowing = redactor.endOf(shown + held)
    held = ''
    shown = redacted
    return visible + redacted
  }

  function flush(): string {
    const rest = swallowing === undefined ? show(held) : ''
    shown = ''
    held = ''
    swallowing = undefined
    isOpen = false
    return rest
  }

  return { push, flush }
}

/**
 * Redacts a text of any length and makes hidden characters visible. Lets other work run between its pieces, each of which takes some milliseconds.
 */
export async function safeText(text: string, stream: StreamRedactor): Promise<string> {
  const legible = createLegible()
  let safe = ''
  let held = ''
  for (let at = 0; at < text.length; at += maxPiece) {
    const shown = held + stream.push(text.slice(at, at + maxPiece))
    // The last character may be the first half of a line end or of a character, so it waits for the next piece.
    held = /[\r\ud800-\udbff]$/.exec(shown)?.[0] ?? ''
    safe += legible(shown.slice(0, shown.length - held.length))
    await setImmediate()
  }
  return safe + legible(held + stream.flush())
}

/** Returns the start of an unfinished private key; -1 if there is none. */
function lastKey(text: string): number {
  let at = -1
  for (const begin of text.matchAll(keyBegin)) at = begin.index
  return at === -1 || keyEnd.test(text.slice(at)) ? -1 : at
}

function sharedLength(a: string, b: string): number {
  let length = 0
  while (length < a.length && a[length] === b[length]) length += 1
  return length
}
