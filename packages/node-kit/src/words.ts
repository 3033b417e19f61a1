/** A ratio as text: `97 %` for 0.97. */
export const percent = (ratio: number): string => `${Math.round(ratio * 100)} %`

/** A time span as text: `8 d 4 h`, `31 h`, `12 min`, `45 s`; hours up to two days. */
export function spanOf(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  if (whole < 60) return `${whole} s`
  if (whole < 3_600) return `${Math.floor(whole / 60)} min`
  if (whole < 172_800) return `${Math.floor(whole / 3_600)} h`
  const hours = Math.floor((whole % 86_400) / 3_600)
  return `${Math.floor(whole / 86_400)} d${hours > 0 ? ` ${hours} h` : ''}`
}

/** The first `most` items and the number of others: `112, 120 and 3 more`. */
export function firstOf(items: readonly (string | number)[], most: number): string {
  const more = items.length > most ? ` and ${items.length - most} more` : ''
  return `${items.slice(0, most).join(', ')}${more}`
}

/** Foreign text on one line: no control, invisible or direction-changing characters, at most `max` characters. */
export function oneLine(text: string, max = 200): string {
  const plain = text.replace(/[\p{C}\p{Z}]+/gu, ' ').trim()
  return plain.length > max ? `${plain.slice(0, max - 1)}…` : plain
}

/** Converts an untrusted name so that it is safe in a list and between markers. */
export const plainName = (name: string): string => oneLine(name.replace(/[<>]/g, ''), 64) || '(no name)'
