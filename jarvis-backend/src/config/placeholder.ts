/** A `${…}` within a text; its group is what stands in the braces. */
export const placeholder = /\$\{([^{}]*)\}/g

/** True if a text has a `${…}`, which is filled in when the text is used. */
export const isToFill = (text: string): boolean => text.search(placeholder) >= 0

/** True if a text names variables and holds no secret of its own, such as `Bearer ${NAME}`. */
export const isOnlyNames = (text: string): boolean =>
  isToFill(text) && /^(?:(?:bearer|basic|token) )?:*$/i.test(text.replace(/\$\{(?:env:)?[A-Za-z_]\w*\}/g, ''))
