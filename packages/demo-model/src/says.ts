/** The whole of a sentence, in any case. A blank of a pattern is any gap; ` ?` is one or none. */
export const says = (...patterns: string[]) =>
  patterns.map(
    (pattern) => new RegExp(`^(?:${pattern.replaceAll(' ?', '\\s*').replaceAll(' ', '\\s+')})[\\s.?!]*$`, 'is'),
  )
export const quote = '["“`\']'
export const unquote = '["”`\']'
