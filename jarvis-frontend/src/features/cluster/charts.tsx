import type { SampleField, SampleRange } from 'protocol'
import { celsius, percent, rate, size, withUnit } from '../../lib/format.ts'
import { Chart, type ChartMark } from '../../ui/chart.tsx'
import { lineOf, rangeWord, usePast } from './past.ts'

/** A chart of one field. `short`: format on the axis, if it differs from `format`. */
type Kind = { title: string; top?: number; format: (value: number) => string; short?: (value: number) => string }

const net = (bytesPerSecond: number) => {
  const { value, unit } = rate(bytesPerSecond)
  return withUnit(value, `${unit}bit/s`)
}
const netShort = (bytesPerSecond: number) => {
  const { value, unit } = rate(bytesPerSecond)
  return withUnit(value, unit)
}
/** A short figure such as `16 M`, because the axis is narrow. */
const bytesShort = (bytes: number) => size(bytes).replace(/\.\d+/, '').replace('iB', '')
const kinds: Record<SampleField, Kind> = {
  cpuRatio: { title: 'CPU', top: 1, format: percent },
  ramRatio: { title: 'Memory', top: 1, format: percent },
  diskRatio: { title: 'Disk', top: 1, format: percent },
  storageRatio: { title: 'Storage', top: 1, format: percent },
  usedRatio: { title: 'Used', top: 1, format: percent },
  load1: { title: 'Load', format: (value) => value.toFixed(1) },
  temperatureC: { title: 'Temperature', format: celsius },
  netBps: { title: 'Network', format: net, short: netShort },
  diskBps: { title: 'Disk read and write', format: (value) => `${size(value)}/s`, short: bytesShort },
}

export type ChartsProps = {
  name: string
  range: SampleRange
  fields: readonly SampleField[]
  marks?: readonly ChartMark[]
  /** The limit of the fields, in their unit; drawn as a line. */
  limit?: number | undefined
  /** Names the fields that have no samples. */
  saysUnknown?: boolean
}

/** Charts of one object's samples, one for each field that has any. */
export function Charts({ name, range, fields, marks, limit, saysUnknown = false }: ChartsProps) {
  const { reply, problem } = usePast([name], range)
  const lines = fields.flatMap((field) => {
    const line = lineOf(reply, name, field)
    return line === undefined || line.values.every((value) => value === undefined) ? [] : [{ field, line }]
  })
  if (reply === undefined) {
    if (problem !== undefined) return <p className="text-dim">The past could not be read. {problem.message}</p>
    return <div className="charts" aria-busy="true" />
  }
  const unknown = fields.filter((field) => lines.every((line) => line.field !== field))
  if (lines.length === 0) return <p className="text-dim">Nothing kept yet: a sample is taken each minute.</p>
  return (
    <div className="charts">
      {lines.map(({ field, line }) => (
        <Chart
          key={field}
          {...kinds[field]}
          {...line}
          group={name}
          over={rangeWord[range]}
          marks={marks}
          limit={limit}
        />
      ))}
      {saysUnknown && unknown.length > 0 && (
        <p className="text-dim">Not known: {unknown.map((field) => kinds[field].title).join(', ')}.</p>
      )}
    </div>
  )
}
