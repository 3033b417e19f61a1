const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

export const withUnit = (value: number | string, unit: string) => `${value} ${unit}`
export const percent = (ratio: number) => withUnit(Math.round(ratio * 100), '%')
export const celsius = (degrees: number) => withUnit(Math.round(degrees), '°C')

/** `0.4 s`, `41 ms`, `2 min`: how long something took. */
export function duration(ms: number): string {
  if (ms < 1_000) return withUnit(Math.round(ms), 'ms')
  if (ms < 10 * second) return withUnit((ms / second).toFixed(1), 's')
  if (ms < 2 * minute) return withUnit(Math.round(ms / second), 's')
  return withUnit(Math.round(ms / minute), 'min')
}

/** `41 d`, `7 h`, `12 min`, `40 s`: one unit, rounded down. */
export function span(ms: number): string {
  if (ms >= 2 * day) return withUnit(Math.floor(ms / day), 'd')
  if (ms >= hour) return withUnit(Math.floor(ms / hour), 'h')
  if (ms >= minute) return withUnit(Math.floor(ms / minute), 'min')
  return withUnit(Math.max(0, Math.floor(ms / second)), 's')
}

/** `8 d 4 h`, `3 h 12 min`, `4 min`. */
export function longSpan(ms: number): string {
  if (ms >= day) {
    const hours = Math.floor((ms % day) / hour)
    const days = withUnit(Math.floor(ms / day), 'd')
    return ms < 10 * day && hours > 0 ? `${days} ${withUnit(hours, 'h')}` : days
  }
  if (ms >= hour) {
    const minutes = Math.floor((ms % hour) / minute)
    const hours = withUnit(Math.floor(ms / hour), 'h')
    return minutes > 0 ? `${hours} ${withUnit(minutes, 'min')}` : hours
  }
  return span(ms)
}

/** `12:41` left or gone, minutes and seconds; hours where there are any. */
export function clock(ms: number): string {
  const total = Math.max(0, Math.round(ms / second))
  const two = (value: number) => String(value).padStart(2, '0')
  const hours = Math.floor(total / 3600)
  const rest = `${two(Math.floor((total % 3600) / 60))}:${two(total % 60)}`
  return hours > 0 ? `${hours}:${rest}` : rest
}

/** `09:14`, 24 h, local. */
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
export const exactTime = (at: number) => `${dayOf(at)}, ${timeOfDay(at)}`

const gib = 1024 ** 3
/** `5.4 / 8`, in GiB. */
export function gibOf(used: number, total: number): string {
  const short = (bytes: number) => {
    const value = bytes / gib
    return value >= 100 ? value.toFixed(0) : value.toFixed(1).replace(/\.0$/, '')
  }
  return `${short(used)} / ${short(total)}`
}

/** `0.36 of 0.93 TB`, one unit for both, decimal as disks are sold. */
export function sizeOf(used: number, total: number): string {
  const inTb = total >= 0.5e12
  const unit = inTb ? 1e12 : 1e9
  const digits = total / unit >= 10 ? 1 : inTb ? 2 : 1
  return withUnit(`${(used / unit).toFixed(digits)} of ${(total / unit).toFixed(digits)}`, inTb ? 'TB' : 'GB')
}

/** `41 M`, `310 k`: bits per second from bytes per second. */
export function rate(bytesPerSecond: number): { value: string; unit: string } {
  const bits = bytesPerSecond * 8
  if (bits >= 1e9) return { value: (bits / 1e9).toFixed(1), unit: 'G' }
  if (bits >= 1e6) return { value: bits >= 1e7 ? (bits / 1e6).toFixed(0) : (bits / 1e6).toFixed(1), unit: 'M' }
  return { value: (bits / 1e3).toFixed(0), unit: 'k' }
}

/** `14.2k`, `860`. */
export const thousands = (count: number) => (count < 1_000 ? String(count) : `${(count / 1_000).toFixed(1)}k`)

/** `$0.06`, `$0.0004`: of little, four digits. */
export const dollars = (usd: number) =>
  usd >= 0.01 ? `$${usd.toFixed(2)}` : usd >= 0.0001 ? `$${usd.toFixed(4)}` : '< $0.0001'

export const plural = (count: number, one: string, many = `${one}s`) => `${count} ${count === 1 ? one : many}`

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** A model's own name, without its provider. */
export const shortModel = (model: string) => model.slice(model.indexOf('/') + 1)

/** `4 min ago`, `2 d ago`; `now` under a second. @param at Unix ms */
export const ago = (at: number, now: number) => (now - at < 1_000 ? 'now' : `${span(now - at)} ago`)

/** `412 B`, `4.1 kB`, `1.3 MB`. */
export function fileSize(bytes: number): string {
  if (bytes < 1_000) return withUnit(bytes, 'B')
  return bytes < 1e6 ? withUnit((bytes / 1e3).toFixed(1), 'kB') : withUnit((bytes / 1e6).toFixed(1), 'MB')
}
