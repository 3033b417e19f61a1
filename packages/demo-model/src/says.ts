/** Makes patterns that match a whole sentence, ignoring case. A space in a pattern matches any white space; ` ?` matches white space or nothing. */
export const says = (...patterns: string[]) =>
  patterns.map(
    (pattern) => new RegExp(`^(?:${pattern.replaceAll(' ?', '\\s*').replaceAll(' ', '\\s+')})[\\s.?!]*$`, 'is'),
  )
export const quote = '["“`\']'
export const unquote = '["”`\']'
