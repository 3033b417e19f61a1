import type { Row } from './rows.ts'
import { median } from './statistics.ts'

/** The values of one round: one for each line of the row. */
export type Round = { ours: number[]; base: number[] | undefined }

/** Medians as a Markdown table. The ratio is the median of each round's own, with the least and the greatest. */
export function table(measured: readonly { row: Row; rounds: readonly Round[] }[]): string {
  const lines = measured.flatMap(({ row, rounds }) =>
    row.lines.map(({ title, most }, line) => {
      const ours = rounds.map((round) => round.ours[line] ?? Number.NaN)
      const base = rounds.flatMap((round) => round.base?.[line] ?? [])
      const ratios = base.map((value, i) => (ours[i] ?? Number.NaN) / value).sort((a, b) => a - b)
      return [
        title,
        short(median(ours)),
        row.base === undefined ? '–' : `${short(median(base))} (${row.base.name})`,
        row.base === undefined
          ? '–'
          : `**${median(ratios).toFixed(2)}** (${ratios.at(0)?.toFixed(2)}–${ratios.at(-1)?.toFixed(2)})`,
        most === undefined ? '–' : row.base?.isGoal === true ? `≤ ${most} × ${row.base.name}` : `≤ ${most}`,
      ]
    }),
  )
  const heads = ['', 'JARVIS', 'baseline', 'ratio (least–greatest)', 'goal']
  const widths = heads.map((head, i) => Math.max(...[heads, ...lines].map((line) => line[i]?.length ?? 0), head.length))
  const print = (line: readonly string[]) => `| ${line.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`
  return [print(heads), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...lines.map(print)].join('\n')
}

/** Three digits that count. */
const short = (value: number) => (value >= 100 ? value.toFixed(0) : value.toPrecision(3))
