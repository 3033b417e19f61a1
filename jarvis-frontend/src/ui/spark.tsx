import { memo } from 'react'

/** A grey line of ratios (0..1), oldest first, with its last value and range as text. */
export const Spark = memo(function Spark({
  values,
  height = 18,
  label,
}: {
  values: readonly number[]
  height?: number
  label?: string
}) {
  const points = values.length === 1 ? [...values, ...values] : values
  const line = points
    .map((value, at) => {
      const x = (at / (points.length - 1)) * 100
      const y = height - 1 - Math.min(1, Math.max(0.01, value)) * (height - 2)
      return `${x.toFixed(1)} ${y.toFixed(1)}`
    })
    .join('L')
  const percent = (value: number) => `${Math.round(value * 100)} %`
  return (
    <>
      <svg
        className="spark"
        style={{ height }}
        viewBox={`0 0 100 ${height}`}
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        {points.length > 0 && (
          <>
            <path className="area" d={`M0 ${height}L${line}L100 ${height}z`} />
            <path className="line" d={`M${line}`} />
          </>
        )}
      </svg>
      {label !== undefined && values.length > 1 && (
        <span className="vh">{`${label} between ${percent(Math.min(...values))} and ${percent(Math.max(...values))}`}</span>
      )}
    </>
  )
})
