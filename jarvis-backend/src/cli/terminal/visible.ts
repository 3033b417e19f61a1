const unseen =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u115f\u1160\u2800\u3164\uffa0]|(?! )\p{Zs}|(?<=\p{M}{2})\p{M}/gu

const code = (char: string) => `⟨U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`

/** One line of untrusted text: escapes, control characters, bidi marks, invisible characters and line breaks are replaced by their codes. */
export const visible = (text: string): string => text.replace(unseen, code)

/** As `visible`, for text of several lines: line feeds stay, and tabs become spaces. */
export const visibleLines = (text: string): string =>
  text
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map((line) => visible(line.replaceAll('\t', '    ')))
    .join('\n')

/** Matches JARVIS's own colours, line feeds and tabs, which stay, and characters that are replaced by codes. */
const printed = new RegExp(`${String.fromCharCode(27)}\\[(?:[012]|3[123])m|[\\n\\t]|${unseen.source}`, 'gu')

/**
 * Makes the whole output of a command safe to print, whatever names, titles and messages it contains: the terminal interprets no control character
 * of it. Every printed line passes this function, so that safety does not depend on calls of `visible`. @param form `json`: characters are escaped
 * as in JSON, and keep their meaning
 */
export function printable(text: string, { form, hasColours }: { form: 'text' | 'json'; hasColours: boolean }): string {
  return text.replace(printed, (found) => {
    if (found === '\n' || found === '\t' || (found.length > 1 && found.endsWith('m') && hasColours)) return found
    if (form === 'text') return visible(found)
    const units = (char: string) =>
      char.split('').map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    return found.replace(unseen, (char) => units(char).join(''))
  })
}
