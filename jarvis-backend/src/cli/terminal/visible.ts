const unseen =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u115f\u1160\u2800\u3164\uffa0]|(?! )\p{Zs}|(?<=\p{M}{2})\p{M}/gu

const code = (char: string) => `⟨U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`

/** One line of foreign text: escapes, controls, bidi marks, invisible characters and line breaks stand as their codes. */
export const visible = (text: string): string => text.replace(unseen, code)

/** The same of text that may have lines: line feeds stay, and tabs become spaces. */
export const visibleLines = (text: string): string =>
  text
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map((line) => visible(line.replaceAll('\t', '    ')))
    .join('\n')
