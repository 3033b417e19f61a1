/**
 * Matches characters that a reader cannot see or that change the order of a text: control and format characters, direction marks, tags, fillers and
 * the blank Braille character. Newlines and tabs are excluded. A joiner is reported too, except alone inside an emoji or between two letters of a
 * script that uses joiners.
 */
const hidden = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu
const emojiSelector = /^(?:\p{Extended_Pictographic}|[0-9#*])\ufe0f$/u
const emojiJoiner = /^(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)\u200d\p{Extended_Pictographic}$/u
const letterJoiner =
  /^[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}][\u200c\u200d][\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}]$/u

/** An invisible character. `code`: such as `U+200B`. `line`: from 1. */
export type Hidden = { line: number; code: string }

/** Returns the invisible characters of a text, in order, at most `most`. The text’s line ends must be newlines. */
export function hiddenIn(text: string, most = 100): Hidden[] {
  const found: Hidden[] = []
  let line = 1
  let counted = 0
  for (const match of text.matchAll(hidden)) {
    const [char] = match
    if (isNeeded(text, match.index, char)) continue
    for (; counted < match.index; counted += 1) if (text.charCodeAt(counted) === 10) line += 1
    found.push({ line, code: codeOf(char) })
    if (found.length === most) break
  }
  return found
}

function isNeeded(text: string, at: number, char: string): boolean {
  const before = lastChar(text.slice(Math.max(0, at - 2), at))
  const after = String.fromCodePoint(text.codePointAt(at + char.length) ?? 32)
  if (char === '\ufe0f') return emojiSelector.test(before + char)
  if (char !== '\u200d' && char !== '\u200c') return false
  return emojiJoiner.test(before + char + after) || letterJoiner.test(before + char + after)
}

const lastChar = (text: string) => [...text].at(-1) ?? ''

const codeOf = (char: string) => `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
