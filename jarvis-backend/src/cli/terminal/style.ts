import type { Tier } from 'protocol'

const codes = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 } as const

/** How text is set off. Word and shape say the same without it. */
export type Style = Record<keyof typeof codes, (text: string) => string> & { width: number }

type Output = { isTTY?: boolean; columns?: number; getColorDepth?(): number }

/** Colours only at a terminal, and not with NO_COLOR or TERM=dumb, of which Node knows. */
export function styleFor(output: Output): Style {
  const isOn = output.isTTY === true && (output.getColorDepth?.() ?? 1) > 1
  const paint = (name: keyof typeof codes) => (text: string) => (isOn ? `\u001b[${codes[name]}m${text}\u001b[0m` : text)
  return {
    bold: paint('bold'),
    dim: paint('dim'),
    red: paint('red'),
    green: paint('green'),
    yellow: paint('yellow'),
    // A terminal that does not know its size says 0.
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

/** Only the shape. */
export const shapeOf = (tier: Tier, style: Style): string => style[marks[tier][2]](marks[tier][0].padEnd(3))

/** Narrower screens get facts below their words. */
export const narrow = 60

const paints = new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, 'g')

/** How many columns a text takes; colours take none, wide and combining characters count as one. */
const columnsOf = (text: string) => [...text.replace(paints, '')].length

/** Breaks a line at spaces, and where a word is longer, within it. No word is lost or cut off. */
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

/** Rows as columns, each as wide as its widest cell; the last is wrapped below itself. On a narrow screen a row's cells stand below each other. */
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

/** `09:13:55` of the local day. */
export const timeOf = (at: number): string => new Date(at).toTimeString().slice(0, 8)

/** `2026-10-14 09:13` in local time. */
export function dayOf(at: number): string {
  const date = new Date(at)
  const two = (part: number) => String(part).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`
}

/** `14:52`, minutes and seconds that are left. */
export function leftOf(ms: number): string {
  const whole = Math.max(0, Math.round(ms / 1_000))
  const hours = Math.floor(whole / 3_600)
  const rest = `${String(Math.floor((whole % 3_600) / 60)).padStart(2, '0')}:${String(whole % 60).padStart(2, '0')}`
  return hours > 0 ? `${hours}:${rest}` : rest
}

/** `3.1k`. */
export const countOf = (count: number): string => (count < 1_000 ? String(count) : `${(count / 1_000).toFixed(1)}k`)
