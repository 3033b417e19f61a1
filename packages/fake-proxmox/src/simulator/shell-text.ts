/** Aligns rows as columns. @param right indexes, from 0, of columns that are aligned to the right */
export function table(rows: readonly (readonly string[])[], right: readonly number[] = []): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)))
  const lines = rows.map((row) =>
    row
      .map((cell, column) =>
        right.includes(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  )
  return `${lines.join('\n')}\n`
}

/** A size in the form of `df -h` and `free -h`: `38G`, `1.7T`. */
export function short(bytes: number, suffix = ''): string {
  const units = ['B', 'K', 'M', 'G', 'T']
  let value = bytes
  let unit = 0
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024
    unit += 1
  }
  return `${value < 10 && unit > 0 ? value.toFixed(1) : Math.round(value)}${units[unit]}${unit > 0 ? suffix : ''}`
}

const month = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const weekday = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
const two = (value: number) => String(value).padStart(2, '0')

export const clockTime = (at: number): string => new Date(at).toISOString().slice(11, 19)

/** A time in the form of the journal, UTC: `Oct 14 06:42:00`. */
export function journalTime(at: number): string {
  const date = new Date(at)
  return `${month[date.getUTCMonth()]} ${two(date.getUTCDate())} ${clockTime(at)}`
}

/** A time in the form of `date`: `Tue Oct 14 06:42:00 AM UTC 2025`. */
export function dateLine(at: number): string {
  const date = new Date(at)
  return `${weekday[date.getUTCDay()]} ${journalTime(at)} UTC ${date.getUTCFullYear()}`
}

/** Reads the value of an option such as `-n 20`, `-n20` or `--lines=20`. */
export function numberOption(args: readonly string[], letter: string, long: string): number | undefined {
  const index = args.findIndex((arg) => arg === `-${letter}` || arg === `--${long}`)
  const joined = args.find((arg) => arg.startsWith(`--${long}=`) || (arg.startsWith(`-${letter}`) && arg.length > 2))
  const text = index >= 0 ? args[index + 1] : joined?.replace(/^\D+/, '')
  const value = Number(text)
  return text === undefined || !Number.isInteger(value) ? undefined : value
}

export const rowsOf = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'))
export const lines = (rows: readonly string[]): string => rows.map((row) => `${row}\n`).join('')

/** Options by letter or long name; an option without a value has an empty text. `-20` is the option `20`. */
export type Options = ReadonlyMap<string, string>

/** @param valued letters of the options that take a value */
export function readOptions(args: readonly string[], valued: string): { options: Options; operands: string[] } {
  const options = new Map<string, string>()
  const operands: string[] = []
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? ''
    if (arg === '--') return { options, operands: [...operands, ...args.slice(at + 1)] }
    const [, long, value = ''] = /^--([^=]+)=?(.*)$/s.exec(arg) ?? []
    if (long !== undefined) options.set(long, value)
    else if (/^-\d+$/.test(arg)) options.set(arg.slice(1), '')
    else if (!arg.startsWith('-') || arg === '-') operands.push(arg)
    else {
      const end = [...arg].findIndex((letter, index) => index > 0 && valued.includes(letter))
      for (const letter of arg.slice(1, end === -1 ? undefined : end)) options.set(letter, '')
      if (end === -1) continue
      const rest = arg.slice(end + 1)
      if (rest === '') at += 1
      options.set(arg.charAt(end), rest === '' ? (args[at] ?? '') : rest)
    }
  }
  return { options, operands }
}
