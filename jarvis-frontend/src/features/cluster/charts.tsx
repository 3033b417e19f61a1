import type { SampleField, SampleRange } from 'jarvis-backend/protocol'
import { celsius, percent, rate, withUnit } from '../../lib/format.ts'
import { Chart, type ChartMark } from '../../ui/chart.tsx'
import { lineOf, rangeWord, usePast } from './past.ts'

/** `short`: on the axis, where it differs. */
type Kind = { title: string; top?: number; format: (value: number) => string; short?: (value: number) => string }

const net = (bytesPerSecond: number) => {
  const { value, unit } = rate(bytesPerSecond)
  return withUnit(value, `${unit}bit/s`)
}
const netShort = (bytesPerSecond: number) => {
  const { value, unit } = rate(bytesPerSecond)
  return withUnit(value, unit)
}
const kinds: Record<SampleField, Kind> = {
  cpuRatio: { title: 'CPU', top: 1, format: percent },
  ramRatio: { title: 'Memory', top: 1, format: percent },
  diskRatio: { title: 'Disk', top: 1, format: percent },
  storageRatio: { title: 'Storage', top: 1, format: percent },
  usedRatio: { title: 'Used', top: 1, format: percent },
  load1: { title: 'Load', format: (value) => value.toFixed(1) },
  temperatureC: { title: 'Temperature', format: celsius },
  netBps: { title: 'Net', format: net, short: netShort },
}

export type ChartsProps = {
  name: string
  range: SampleRange
  fields: readonly SampleField[]
  marks?: readonly ChartMark[]
}

/** The past of one thing, with a chart for each field that has samples. */
export function Charts({ name, range, fields, marks }: ChartsProps) {
  const { reply, problem } = usePast([name], range)
  const lines = fields.flatMap((field) => {
    const line = lineOf(reply, name, field)
    return line === undefined || line.values.every((value) => value === undefined) ? [] : [{ field, line }]
  })
  if (reply === undefined) {
    if (problem !== undefined) return <p className="text-dim">The past could not be read. {problem.message}</p>
    return <div className="charts" aria-busy="true" />
  }
  if (lines.length === 0) return <p className="text-dim">Nothing kept yet: a sample is taken each minute.</p>
  return (
    <div className="charts">
      {lines.map(({ field, line }) => (
        <Chart key={field} {...kinds[field]} {...line} group={name} over={rangeWord[range]} marks={marks} />
      ))}
    </div>
  )
}
