const wholeName = 64

/**
 * What could not be seen where it stands: controls, formats, marks of direction, fillers, unusual spaces; more than two
 * spaces or one at an end; the third mark on a letter. And what our own escapes are made of.
 */
const unseen =
  /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u115f\u1160\u2800\u3164\uffa0]|(?! )\p{Zs}|^ +| +$| {3,}|(?<=\p{M}\p{M})\p{M}|[⟨⟩]/gu
/** Scripts with letters that look like another's. */
const alike = ['Latin', 'Cyrillic', 'Greek', 'Armenian', 'Cherokee', 'Coptic', 'Georgian', 'Lisu'].map(
  (script) => new RegExp(`\\p{Script=${script}}`, 'u'),
)

const codes = (text: string) =>
  [...text].map((char) => `⟨U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`).join('')

/**
 * A value others wrote as it may stand in a sentence of ours: one line, between marks it cannot leave, with `⟨U+202E⟩`
 * for what could not be seen. After `most` characters it is cut and the rest counted.
 */
export function quoted(text: string, most: number = wholeName, mark: '"' | '`' = '"'): string {
  const chars = [...text]
  const rest = chars.length > most ? ` and ${chars.length - most} more characters` : ''
  const shown = chars.slice(0, most).join('').replace(unseen, codes).replaceAll(mark, codes)
  return `${mark}${shown}${mark}${rest}${mixesLetters(text) ? ' (mixed letters)' : ''}`
}

/** A name that is one plain word as it is, any other in quotes. */
export const named = (text: string): string => (/^[\w.@:-]{1,64}$/.test(text) ? text : quoted(text))

/** Whether a word has letters of two scripts that look alike, or forms of letters that only look like plain ones. */
const mixesLetters = (text: string): boolean =>
  text
    .replace(unseen, '')
    .split(/[^\p{L}\p{M}\p{So}]+/u)
    .some(
      (word) => word.normalize('NFKC') !== word.normalize('NFC') || alike.filter((one) => one.test(word)).length > 1,
    )

/** A word of Proxmox's or a tag, without what could pass for more than a word. */
export const plainWord = (word: string): string => word.replace(/[^\w.+-]/g, '').slice(0, 40)

/** Nothing that is plain ASCII on lines needs a second look. */
const odd = /[^\n\t -~]/
/** Colours of a terminal, which say nothing. */
const colours = new RegExp(`${String.fromCharCode(27)}\\[[\\d;:]*m`, 'g')
/** Joiners where a script or a picture needs them; everywhere else they hide. */
const joined =
  '(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f])[\\u200d\\ufe0e\\ufe0f]|(?<=[^\\p{Script=Latin}\\p{Script=Greek}\\p{Script=Cyrillic}\\p{Script=Common}])[\\u200c\\u200d]'
const hidden = new RegExp(
  `(?!${joined})(?![\\n\\t])[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}]`,
  'gu',
)

/**
 * Text that others wrote, of any length, as it may be kept and shown: what drives a terminal, turns the direction of
 * reading or cannot be seen stands there as `⟨U+001B⟩`; colours are gone, and each line end is a newline. The very same
 * string where there is none of these.
 */
export function legible(text: string): string {
  if (!odd.test(text)) return text
  return text.replace(colours, '').replace(/\r\n?/g, '\n').replace(hidden, codes)
}

/** The same for every string in a JSON value, keys included. */
export function legibleValue<T>(value: T): T {
  return deepLegible(value) as T
}

function deepLegible(value: unknown): unknown {
  if (typeof value === 'string') return legible(value)
  if (Array.isArray(value)) return value.map(deepLegible)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [legible(key), deepLegible(member)]))
}

/** Without the escapes that `legible` sets: what a reader who undoes them reads. */
export const withoutCodes = (text: string): string => text.replace(/⟨U\+[\dA-F]{4,6}⟩/g, '')
