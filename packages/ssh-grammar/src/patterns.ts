/** Patterns of values that several programs share. None allows a dash at the beginning, except as the sign of a number. */
export const number = /^\d{1,9}$/
export const size = /^\d{1,9}(?:[kKMGT]i?B?)?$/
export const signedSize = /^[+-]?\d{1,9}(?:[kKMGT]i?B?)?$/
/** Names of columns, units, users, pools and datasets. `%` occurs in columns of ps and docker. */
export const word = /^[A-Za-z0-9_@%][\w.:@%+/=-]*$/
export const list = /^[A-Za-z0-9_%+-][\w.:%+,-]*$/
/** Search texts: anything that is not an option. */
export const text = /^[^-]/
export const any = /./s
/** Formats of `stat`, `find` and `date`. Widths of five digits or more are refused, because they could fill the memory. */
export const format = /^(?!.*\d{5}).+$/s
export const unit = /^[A-Za-z0-9_@*?[][\w.:@\\*?[\]-]*$/
export const host = /^[A-Za-z0-9:][\w.:%-]{0,253}$/
export const interfaceName = /^[A-Za-z0-9][\w.@:-]{0,30}$/
export const color = /^(?:auto|always|never)$/
/** Times: `-1h`, `2 days ago`, `2025-01-01 10:00:00`, `@1700000000`. */
export const when = /^[-+@]?\d[\w .:+-]*$|^(?:now|today|yesterday|tomorrow)(?: \d\d?:\d\d(?::\d\d)?)?$/
export const device = /^\/dev\/[A-Za-z0-9][\w/.:@+-]*$/
export const vmid = /^[1-9]\d{2,8}$/
/** Values of a bounded repetition: at most 5 s apart, at most 10 times. */
export const seconds = /^[1-5]$/
export const times = /^(?:[1-9]|10)$/
