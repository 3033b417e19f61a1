import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import './chart.css'

export type ChartMark = { number: number; at: number }

type Props = {
  title: string
  /** Unix ms of the first value. */
  from: number
  stepMs: number
  /** Oldest first; undefined is a gap. */
  values: readonly (number | undefined)[]
  /** The end of the scale; undefined: the scale follows the values. */
  top?: number | undefined
  format: (value: number) => string
  /** Format of the values on the axis; undefined: `format`. */
  short?: ((value: number) => string) | undefined
  /** Charts of the same name share their cursor. */
  group: string
  /** The time range as text, such as `24 h`. */
  over: string
  /** Moments that get a number on the axis. The page shows the same number at the event of that moment. `at`: Unix ms. */
  marks?: readonly ChartMark[] | undefined
  /** A limit, drawn as a dashed line. */
  limit?: number | undefined
}

/** Heights in pixels: of a chart without a limit, and of a chart with one. */
const heights = [92, 128] as const
const none: readonly ChartMark[] = []
const colour = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim()
const faded = (oklch: string, share: number) => oklch.replace(')', ` / ${share})`)

/** Draws a grey line over time. The last value and the range are also given as text. */
export function Chart({
  title,
  from,
  stepMs,
  values,
  top,
  format,
  short = format,
  group,
  over,
  marks = none,
  limit,
}: Props) {
  const height = heights[limit === undefined ? 0 : 1]
  const box = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(undefined)
  const shown = useRef<HTMLSpanElement>(null)
  const line = useRef<HTMLDivElement>(null)
  const last = values.findLast((value) => value !== undefined)
  const known = values.filter((value) => value !== undefined)
  const data = useRef<uPlot.AlignedData>([[], []])
  data.current = [values.map((_, at) => (from + at * stepMs) / 1_000), values.map((value) => value ?? null)]
  const lastText = useRef('')
  lastText.current = last === undefined ? '' : format(last)
  const drawn = useRef({ format, short, marks })
  drawn.current = { format, short, marks }

  useEffect(() => {
    const element = box.current
    if (element === null) return
    const hooks: uPlot.Hooks.Arrays = {
      draw: [
        (own) => {
          drawMarks(own, drawn.current.marks)
          if (line.current === null || limit === undefined) return
          const { left, width } = own.bbox
          line.current.style.cssText = `top:${own.valToPos(limit, 'y', true) / devicePixelRatio}px;left:${left / devicePixelRatio}px;width:${width / devicePixelRatio}px`
        },
      ],
      setCursor: [
        (own) => {
          const at = own.cursor.idx
          const value = at === null || at === undefined ? undefined : own.data[1]?.[at]
          const time = at === null || at === undefined ? undefined : own.data[0][at]
          if (shown.current === null) return
          shown.current.textContent =
            value === undefined || value === null || time === undefined
              ? lastText.current
              : `${timeText(time * 1_000, 60)} ${drawn.current.format(value)}`
        },
      ],
    }
    const draw = () => {
      plot.current?.destroy()
      const size = { width: Math.max(120, element.clientWidth), height }
      const look = lookOf({ group, top, limit, short: (value) => drawn.current.short(value) })
      plot.current = new uPlot({ ...size, ...look, hooks }, data.current, element)
    }
    draw()
    const resized = new ResizeObserver(() =>
      plot.current?.setSize({ width: Math.max(120, element.clientWidth), height }),
    )
    resized.observe(element)
    const themed = new MutationObserver(draw)
    themed.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
    return () => {
      resized.disconnect()
      themed.disconnect()
      plot.current?.destroy()
      plot.current = undefined
    }
  }, [group, top, limit, height])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the lines and numbers are drawn from these values
  useEffect(() => plot.current?.setData(data.current), [values, from, stepMs, marks])

  return (
    <figure className="chart">
      <figcaption>
        <span>{title}</span>
        <span className="num" ref={shown} aria-hidden="true">
          {lastText.current}
        </span>
        <span className="vh">
          {last === undefined
            ? `: nothing known over ${over}`
            : `: ${format(last)} now, between ${format(Math.min(...known))} and ${format(Math.max(...known))} over ${over}`}
          {limit !== undefined && `, limit ${format(limit)}`}
          {marks.map(({ number, at }) => `, change ${number} at ${timeText(at, 60)}`)}
        </span>
      </figcaption>
      <div ref={box} className="chart-box" aria-hidden="true">
        {limit !== undefined && <div ref={line} className="limit-line" />}
      </div>
    </figure>
  )
}

type Look = Pick<Props, 'group' | 'top' | 'limit'> & { short: (value: number) => string }

/** The scales, the line, the axes and the cursor of a chart, in the colours of the present theme. */
const lookOf = ({ group, top, limit, short }: Look): Omit<uPlot.Options, 'width' | 'height'> => ({
  padding: [6, 16, 0, 0],
  legend: { show: false },
  cursor: {
    y: false,
    drag: { x: false, y: false },
    points: { size: 5, fill: colour('--ink') },
    sync: { key: group, setSeries: false },
  },
  scales: {
    x: { time: true },
    y: {
      range: (_plot, low, high) =>
        limit === undefined || top !== undefined
          ? [0, top ?? Math.max(high * 1.15, 1e-6)]
          : // Leave room over and under the limit. The distance from 0 does not matter here.
            [Math.min(low, limit) * 0.85, Math.max(high, limit) * 1.08],
    },
  },
  series: [{}, { stroke: colour('--soft'), width: 1.2, fill: faded(colour('--soft'), 0.12), points: { show: false } }],
  axes: [
    {
      stroke: colour('--dim'),
      font: '11px "Saira Variable", sans-serif',
      size: 20,
      gap: 3,
      space: 56,
      grid: { show: false },
      ticks: { show: false },
      values: (_plot, splits, ...[_axis, _space, step]) => splits.map((at) => timeText(at * 1_000, step)),
    },
    {
      stroke: colour('--dim'),
      font: '11px "Saira Variable", sans-serif',
      size: 48,
      gap: 4,
      splits: (_plot, _axis, ...[low, high]) => (limit === undefined ? [low, high / 2] : [low, limit]),
      grid: { stroke: colour('--line'), width: 1 },
      ticks: { show: false },
      values: (_plot, splits) => splits.map((value) => short(value)),
    },
  ],
})

/** Draws a vertical line at each moment, with its number in a circle on top. */
function drawMarks({ ctx, bbox, valToPos }: uPlot, marks: readonly ChartMark[]) {
  const scale = devicePixelRatio
  for (const { number, at } of marks) {
    const x = valToPos(at / 1_000, 'x', true)
    if (x < bbox.left || x > bbox.left + bbox.width) continue
    const y = bbox.top + 5 * scale
    ctx.strokeStyle = colour('--dim')
    ctx.fillStyle = colour('--bg')
    ctx.lineWidth = scale
    ctx.beginPath()
    ctx.moveTo(x, bbox.top)
    ctx.lineTo(x, bbox.top + bbox.height)
    ctx.stroke()
    ctx.beginPath()
    ctx.arc(x, y, 7 * scale, 0, 2 * Math.PI)
    ctx.fill()
    ctx.stroke()
    ctx.fillStyle = colour('--ink')
    ctx.font = `${10 * scale}px "Saira Variable", sans-serif`
    ctx.textAlign = 'center'
    ctx.textBaseline = 'middle'
    ctx.fillText(String(number), x, y)
  }
}

function timeText(at: number, stepS: number): string {
  const date = new Date(at)
  if (stepS >= 86_400) return `${date.getDate()}.${date.getMonth() + 1}.`
  return `${String(date.getHours()).padStart(2, '0')}:${String(date.getMinutes()).padStart(2, '0')}`
}
