import type { Tier } from 'protocol'

const codes = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 } as const

/** Styles for text. Words and shapes carry the same meaning, so the output is complete without styles. */
export type Style = Record<keyof typeof codes, (text: string) => string> & { width: number }

type Output = { isTTY?: boolean; columns?: number; getColorDepth?(): number }

/** Uses colours only at a terminal, and not with NO_COLOR or TERM=dumb, which Node checks. */
export function styleFor(output: Output): Style {
  const isOn = output.isTTY === true && (output.getColorDepth?.() ?? 1) > 1
  const paint = (name: keyof typeof codes) => (text: string) => (isOn ? `\u001b[${codes[name]}m${text}\u001b[0m` : text)
  return {
    bold: paint('bold'),
    dim: paint('dim'),
    red: paint('red'),
    green: paint('green'),
    yellow: paint('yellow'),
    // A terminal that does not know its size reports 0.
    width: output.columns || 80,
  }
}

const marks: Record<Tier, [shape: string, word: string, colour: 'green' | 'yellow' | 'red' | 'bold']> = {
  green: ['o', 'Read', 'green'],
  yellow: ['(|', 'Change', 'yellow'],
  red: ['<!>', 'Ask', 'red'],
  black: ['[-]', 'Never', 'bold'],
}

/** A tier's mark with its word, 10 columns wide: `<!> Ask   `. */
export function markOf(tier: Tier, style: Style): string {
  const [shape, word, colour] = marks[tier]
  return style[colour](`${shape.padEnd(3)} ${word.padEnd(6)}`)
}

/** The shape of a tier's mark without the word. */
export const shapeOf = (tier: Tier, style: Style): string => style[marks[tier][2]](marks[tier][0].padEnd(3))

/** Width in columns below which facts are printed below their labels. */
export const narrow = 60

const paints = new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, 'g')

/** The number of columns of a text. Colours take none; wide and combining characters count as one. */
const columnsOf = (text: string) => [...text.replace(paints, '')].length

/** Breaks a line at spaces; a word that is longer than a line is broken too. No text is lost. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    let rest = word
    if (line !== '' && columnsOf(line) + 1 + columnsOf(rest) > width) {
      lines.push(line)
      line = ''
    } else if (line !== '') {
      line += ` ${rest}`
      continue
    }
    while (columnsOf(rest) > width) {
      lines.push([...rest].slice(0, width).join(''))
      rest = [...rest].slice(width).join('')
    }
    line = rest
  }
  return [...lines, line]
}

/**
 * Prints rows as columns, each as wide as its widest cell. The last column is wrapped within its own width. On a narrow screen the cells of a row
 * stand below each other.
 */
export function columns(rows: readonly (readonly string[])[], style: Style): string[] {
  if (style.width < narrow) return rows.flatMap((row) => row.map((text, index) => (index === 0 ? text : `  ${text}`)))
  const most = Math.max(0, ...rows.map((row) => row.length - 1))
  const widths = Array.from({ length: most }, (_, index) =>
    Math.max(...rows.map((row) => (index < row.length - 1 ? columnsOf(row[index] ?? '') : 0))),
  )
  const left = widths.reduce((sum, width) => sum + width + 2, 0)
  return rows.flatMap((row) => {
    const last = row.at(-1) ?? ''
    const head = row.slice(0, -1).map((text, index) => text + ' '.repeat((widths[index] ?? 0) - columnsOf(text) + 2))
    const [first = '', ...rest] = wrap(last, Math.max(20, style.width - left))
    return [`${head.join('')}${first}`.trimEnd(), ...rest.map((line) => ' '.repeat(left) + line)]
  })
}

/** The time of day in local time: `09:13:55`. */
export const timeOf = (at: number): string => new Date(at).toTimeString().slice(0, 8)

/** The day and time in local time: `2026-10-14 09:13`. */
export function dayOf(at: number): string {
  const date = new Date(at)
  const two = (part: number) => String(part).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`
}

/** The time that is left, in minutes and seconds: `14:52`. */
export function leftOf(ms: number): string {
  const whole = Math.max(0, Math.round(ms / 1_000))
  const hours = Math.floor(whole / 3_600)
  const rest = `${String(Math.floor((whole % 3_600) / 60)).padStart(2, '0')}:${String(whole % 60).padStart(2, '0')}`
  return hours > 0 ? `${hours}:${rest}` : rest
}

/** A short count: `3.1k`. */
export const countOf = (count: number): string => (count < 1_000 ? String(count) : `${(count / 1_000).toFixed(1)}k`)
