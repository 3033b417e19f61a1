/** A piece of text unchanged, or the code that is shown for an invisible character. */
export type Part = { text: string } | { code: string }

const plainSpace = 0x20
// Characters that draw nothing, although Unicode classes them as letters or symbols.
const blank = /[\u115f\u1160\u2800\u3164\uffa0]/u
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u

function isUnseen(char: string): boolean {
  if (char === ' ') return false
  return unseen.test(char) || blank.test(char) || /\p{Zs}/u.test(char)
}

const code = (char: string) => `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`

/**
 * Makes characters visible that text could hide. Codes replace control characters, escapes, bidi marks, zero-width characters, tags, variation
 * selectors, soft hyphens, unusual spaces and line breaks. Codes also replace runs of more than two spaces, spaces at either end, and the third and
 * later mark stacked on one letter.
 */
export function visible(text: string): Part[] {
  const parts: Part[] = []
  let plain = ''
  let marks = 0
  const flush = () => {
    if (plain !== '') parts.push({ text: plain })
    plain = ''
  }
  const chars = [...text]
  for (let at = 0; at < chars.length; at++) {
    const char = chars[at] ?? ''
    if (char.codePointAt(0) === plainSpace) {
      let end = at
      while (chars[end] === ' ') end++
      const count = end - at
      const isAtEnd = at === 0 || end === chars.length
      if (count > 2 || isAtEnd) {
        flush()
        parts.push({ code: count === 1 ? 'U+0020' : `U+0020 ×${count}` })
      } else plain += ' '.repeat(count)
      at = end - 1
      marks = 0
      continue
    }
    marks = /\p{M}/u.test(char) ? marks + 1 : 0
    if (isUnseen(char) || marks > 2) {
      flush()
      parts.push({ code: code(char) })
    } else plain += char
  }
  flush()
  return parts
}

export const hidesSomething = (text: string): boolean => visible(text).some((part) => 'code' in part)

/** Returns the text of `visible` as one string, for attributes that take no elements. */
export const visibleText = (text: string): string =>
  visible(text)
    .map((part) => ('code' in part ? `⟨${part.code}⟩` : part.text))
    .join('')

/** Scripts with letters that look like letters of another script. */
const alike = ['Latin', 'Cyrillic', 'Greek', 'Armenian', 'Cherokee', 'Coptic', 'Georgian', 'Lisu'].map(
  (script) => new RegExp(`\\p{Script=${script}}`, 'u'),
)

/** As `visibleText`, for a text of several lines: line breaks, spaces and tabs stay. */
export const visibleLines = (text: string): string =>
  text
    .split(/(\r?\n|[ \t]+)/)
    .map((piece, at) => (at % 2 === 1 ? piece : visibleText(piece)))
    .join('')

/** True if a word mixes letters of two scripts that look alike, or has variant forms that only look like plain letters. */
export const mixesScripts = (text: string): boolean =>
  [...text]
    .filter((char) => !isUnseen(char) || char === ' ')
    .join('')
    .split(/[^\p{L}\p{M}\p{So}]+/u)
    .some(
      (word) => word.normalize('NFKC') !== word.normalize('NFC') || alike.filter((one) => one.test(word)).length > 1,
    )

const lookalikes: Record<string, string> = {
  а: 'a',
  с: 'c',
  ԁ: 'd',
  е: 'e',
  һ: 'h',
  і: 'i',
  ј: 'j',
  к: 'k',
  м: 'm',
  о: 'o',
  р: 'p',
  ѕ: 's',
  т: 't',
  у: 'y',
  х: 'x',
  в: 'b',
  н: 'h',
  ԛ: 'q',
  ԝ: 'w',
  α: 'a',
  β: 'b',
  ε: 'e',
  ι: 'i',
  κ: 'k',
  ν: 'v',
  ο: 'o',
  ρ: 'p',
  τ: 't',
  υ: 'u',
  χ: 'x',
  ɡ: 'g',
  ı: 'i',
  ł: 'l',
  '0': 'o',
  '1': 'l',
  i: 'l',
  '|': 'l',
  '5': 's',
  '8': 'b',
}

/** Returns a text's skeleton: two texts with the same skeleton look alike. */
export function skeleton(text: string): string {
  const seen = [...text.normalize('NFKD').toLowerCase()].filter((char) => !isUnseen(char) && !/[\p{M}\s]/u.test(char))
  return seen
    .map((char) => lookalikes[char] ?? char)
    .map((char) => lookalikes[char] ?? char)
    .join('')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w')
}
