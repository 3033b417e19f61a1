const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

export const withUnit = (value: number | string, unit: string) => `${value} ${unit}`
export const percent = (ratio: number) => withUnit(Math.round(ratio * 100), '%')
/** `42 %`; `–` for an unknown value. */
export const share = (ratio: number | null | undefined) => (typeof ratio === 'number' ? percent(ratio) : '–')
export const celsius = (degrees: number) => withUnit(Math.round(degrees), '°C')

/** A duration: `0.4 s`, `41 ms`, `2 min`. */
export function duration(ms: number): string {
  if (ms < 1_000) return withUnit(Math.round(ms), 'ms')
  if (ms < 10 * second) return withUnit((ms / second).toFixed(1), 's')
  if (ms < 2 * minute) return withUnit(Math.round(ms / second), 's')
  return withUnit(Math.round(ms / minute), 'min')
}

/** A time span in one unit, rounded down: `41 d`, `31 h`, `12 min`, `40 s`. Hours are used up to two days. */
export function span(ms: number): string {
  if (ms >= 2 * day) return withUnit(Math.floor(ms / day), 'd')
  if (ms >= hour) return withUnit(Math.floor(ms / hour), 'h')
  if (ms >= minute) return withUnit(Math.floor(ms / minute), 'min')
  return withUnit(Math.max(0, Math.floor(ms / second)), 's')
}

/** A span like `span`, for narrow places: `1 m`. */
export const shortSpan = (ms: number) => span(ms).replace('min', 'm')

/** A time span in at most two units: `8 d 4 h`, `31 h`, `3 h 12 min`, `4 min`. */
export function longSpan(ms: number): string {
  const rest = ms >= 2 * day ? ms % day : ms % hour
  const isRound = ms < hour || ms >= 10 * day || (ms >= day && ms < 2 * day) || rest < (ms >= 2 * day ? hour : minute)
  return isRound ? span(ms) : `${span(ms)} ${span(rest)}`
}

/** Minutes and seconds, `12:41`; with hours from one hour. */
export function clock(ms: number): string {
  const total = Math.max(0, Math.round(ms / second))
  const two = (value: number) => String(value).padStart(2, '0')
  const hours = Math.floor(total / 3600)
  const rest = `${two(Math.floor((total % 3600) / 60))}:${two(total % 60)}`
  return hours > 0 ? `${hours}:${rest}` : rest
}

/** Local time, 24 h: `09:14`. */
export function timeOfDay(at: number): string {
  const date = new Date(at)
  return `${String(date.getHours()).padStart(2, '0')}:${String(date.getMinutes()).padStart(2, '0')}`
}

const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
/** `Tue 14 Oct`. */
export function dayOf(at: number): string {
  const date = new Date(at)
  return `${weekdays[date.getDay()]} ${date.getDate()} ${months[date.getMonth()]}`
}
/** A date: `Tue 14 Oct`, with the year if it is not this year: `Tue 14 Oct 2025`. */
export function dateOf(at: number, now = Date.now()): string {
  const year = new Date(at).getFullYear()
  return year === new Date(now).getFullYear() ? dayOf(at) : `${dayOf(at)} ${year}`
}
export const exactTime = (at: number, now?: number) => `${dateOf(at, now)}, ${timeOfDay(at)}`

const [kib, mib, gib, tib] = [1024, 1024 ** 2, 1024 ** 3, 1024 ** 4]
/** `5.4 / 8`, in GiB; `–` for an unknown value. */
export function gibOf(used: number | null, total: number | null): string {
  const short = (bytes: number | null) => (bytes === null ? '–' : (bytes / gib).toFixed(1).replace(/\.0$/, ''))
  return `${short(used)} / ${short(total)}`
}

/** Returns the unit for a size, and the number of decimal digits. */
function unitFor(bytes: number): { name: string; unit: number; digits: number } {
  if (bytes >= tib / 2) return { name: 'TiB', unit: tib, digits: bytes < 2 * tib ? 2 : 1 }
  if (bytes >= gib) return { name: 'GiB', unit: gib, digits: 1 }
  if (bytes >= mib) return { name: 'MiB', unit: mib, digits: 1 }
  return bytes >= kib ? { name: 'KiB', unit: kib, digits: 1 } : { name: 'B', unit: 1, digits: 0 }
}

/** A size: `412 B`, `4.1 KiB`, `0.17 TiB`. @param whole size that determines the unit; default: `bytes` */
export function size(bytes: number, whole = bytes): string {
  const { name, unit, digits } = unitFor(whole)
  return withUnit((bytes / unit).toFixed(digits), name)
}

/** Used and total size in the same unit: `0.36 of 0.93 TiB`. */
export function sizeOf(used: number, total: number): string {
  const { unit, digits } = unitFor(total)
  return `${(used / unit).toFixed(digits)} of ${size(total)}`
}

/** Converts bytes per second to bits per second: `41 M`, `310 k`. */
export function rate(bytesPerSecond: number): { value: string; unit: string } {
  const bits = bytesPerSecond * 8
  if (bits >= 1e9) return { value: (bits / 1e9).toFixed(1), unit: 'G' }
  if (bits >= 1e6) return { value: bits >= 1e7 ? (bits / 1e6).toFixed(0) : (bits / 1e6).toFixed(1), unit: 'M' }
  return { value: (bits / 1e3).toFixed(0), unit: 'k' }
}

/** `14.2k`, `860`. */
export const thousands = (count: number) => (count < 1_000 ? String(count) : `${(count / 1_000).toFixed(1)}k`)

/** `$0.06`, `$0.0004`: four digits below one cent. */
export const dollars = (usd: number) =>
  usd >= 0.01 ? `$${usd.toFixed(2)}` : usd >= 0.0001 ? `$${usd.toFixed(4)}` : '< $0.0001'

export const plural = (count: number, one: string, many = `${one}s`) => `${count} ${count === 1 ? one : many}`

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** The name of a model without its provider. */
export const shortModel = (model: string) => model.slice(model.indexOf('/') + 1)

/** A past time: `4 min ago`, `2 d ago`; `now` if less than a second ago. @param at Unix ms */
export const ago = (at: number, now: number) => (now - at < 1_000 ? 'now' : `${span(now - at)} ago`)
