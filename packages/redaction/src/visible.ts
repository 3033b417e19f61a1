const wholeName = 64
/** Maximum number of characters of a foreign value that are searched for mixed scripts. */
const mostMixed = 2_000

/**
 * Characters that would be invisible or misleading: control and format characters, direction marks, fillers, unusual spaces; runs of spaces, and
 * spaces at the ends; a third combining mark on a letter. Also the brackets of JARVIS's own escapes.
 */
const unseen =
  /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u115f\u1160\u2800\u3164\uffa0]|(?! )\p{Zs}|^ +|(?<! ) +$| {3,}|(?<=\p{M}\p{M})\p{M}|[⟨⟩]/gu
/** Scripts with letters that look like letters of another of these scripts. */
const alike = ['Latin', 'Cyrillic', 'Greek', 'Armenian', 'Cherokee', 'Coptic', 'Georgian', 'Lisu'].map(
  (script) => new RegExp(`\\p{Script=${script}}`, 'u'),
)

const codes = (text: string) =>
  [...text].map((char) => `⟨U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`).join('')

/**
 * Quotes a foreign value for a sentence: one line, between quote marks that it cannot close, with `⟨U+202E⟩` for invisible characters. After `most`
 * characters the value is cut, and the number of the others is given.
 */
export function quoted(text: string, most: number = wholeName, mark: '"' | '`' = '"'): string {
  // A character has at most two UTF-16 units, so this slice holds everything that may be shown.
  const chars = [...text.slice(0, 2 * most + 2)]
  const begin = chars.slice(0, most).join('')
  const left = text.length - begin.length
  const shown = begin.replace(unseen, codes).replaceAll(mark, codes)
  const rest = left > 0 ? ` and ${left} more characters` : ''
  return `${mark}${shown}${mark}${rest}${mixesLetters(text.slice(0, mostMixed)) ? ' (mixed letters)' : ''}`
}

/** Returns a foreign name unchanged if it is one plain word, otherwise quoted. */
export const named = (text: string): string => (/^[\w.@:-]{1,64}$/.test(text) ? text : quoted(text))

/** Tests if a word mixes letters of scripts that look alike, or contains letters that only look like plain ones. */
const mixesLetters = (text: string): boolean =>
  text
    .replace(unseen, '')
    .split(/[^\p{L}\p{M}\p{So}]+/u)
    .some(
      (word) => word.normalize('NFKC') !== word.normalize('NFC') || alike.filter((one) => one.test(word)).length > 1,
    )

/** Reduces a word of Proxmox or a tag to plain word characters, at most 40. */
export const plainWord = (word: string): string => word.replace(/[^\w.+-]/g, '').slice(0, 40)

/** Plain ASCII lines need no escaping. */
const odd = /[^\n\t -~]/
/** Matches terminal colour codes. */
const colours = new RegExp(`${String.fromCharCode(27)}\\[[\\d;:]*m`, 'g')
/** Joiners that a script or an emoji needs. Elsewhere a joiner only hides text. */
const joined =
  '[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f][\\u200d\\ufe0e\\ufe0f]|[^\\p{Script=Latin}\\p{Script=Greek}\\p{Script=Cyrillic}\\p{Script=Common}][\\u200c\\u200d]'
const hidden = `[\\0-\\x08\\x0b-\\x1f\\x7f-\\x9f\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}](?<!${joined})`
const hiddenOne = new RegExp(hidden, 'gu')
/**
 * A run of hidden characters. Bounded, because an expression keeps a place on its stack for each repetition, and the stack of Node 26 overflows
 * after some million.
 */
const hiddenRun = new RegExp(`(?:${hidden}){1,1000}`, 'gu')
/**
 * Most characters of a text that are written as their code. A code is longer than its character, so a text of hidden characters only would grow
 * without limit.
 */
const mostCodes = 1_000
/** Replaces each run of further hidden characters. */
const unshown = '\ufffd'

/**
 * Makes foreign text of any length safe to store and show. Control characters, direction marks and invisible characters become `⟨U+001B⟩`; colour
 * codes are removed; line ends become newlines. After the first thousand hidden characters, each run of them becomes one `\ufffd`, so that the text
 * grows by at most 10 kB. Returns the same string if nothing changes.
 */
export const legible = (text: string): string => createLegible()(text)

/** Does the work of `legible` for a text that comes in pieces. A piece must not end within a character or within a line end. */
export function createLegible(): (piece: string) => string {
  let left = mostCodes
  return (piece) => {
    if (!odd.test(piece)) return piece
    const plain = piece.replace(colours, '').replace(/\r\n?/g, '\n')
    let shown = ''
    let copied = 0
    for (const { index, 0: found } of plain.matchAll(hiddenOne)) {
      if (left === 0) return shown + withoutRuns(plain.slice(copied))
      left -= 1
      shown += plain.slice(copied, index) + codes(found)
      copied = index + found.length
    }
    return shown + plain.slice(copied)
  }
}

/** Replaces each run of hidden characters, of any length, by one `\ufffd`. */
function withoutRuns(text: string): string {
  let end = -1
  return text.replace(hiddenRun, (run: string, at: number) => {
    const goesOn = at === end
    end = at + run.length
    return goesOn ? '' : unshown
  })
}

/** Applies `legible` to every string of a JSON value, keys included. */
export function legibleValue<T>(value: T): T {
  return deepLegible(value) as T
}

function deepLegible(value: unknown): unknown {
  if (typeof value === 'string') return legible(value)
  if (Array.isArray(value)) return value.map(deepLegible)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [legible(key), deepLegible(member)]))
}

/** Removes the escapes that `legible` wrote. */
export const withoutCodes = (text: string): string => text.replace(/⟨U\+[\dA-F]{4,6}⟩|\ufffd/g, '')
