import { memo } from 'react'

/** Draws a grey line of ratios (0..1), oldest first, and gives their range as text. An undefined value is a gap. */
export const Spark = memo(function Spark({
  values,
  height = 18,
  label,
}: {
  values: readonly (number | undefined)[]
  height?: number
  label?: string
}) {
  const points = values.length === 1 ? [...values, ...values] : values
  const known = values.filter((value) => value !== undefined)
  const pieces = piecesOf(points, height)
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
        {pieces.map(({ from, to, line }) => (
          <g key={from}>
            <path className="area" d={`M${from} ${height}L${line}L${to} ${height}z`} />
            <path className="line" d={`M${line}`} />
          </g>
        ))}
      </svg>
      {label !== undefined && known.length > 1 && (
        <span className="vh">{`${label} between ${percent(Math.min(...known))} and ${percent(Math.max(...known))}`}</span>
      )}
    </>
  )
})

/** Returns one path for each run of known values. A single value is drawn as a short dash. */
function piecesOf(points: readonly (number | undefined)[], height: number) {
  const pieces: { from: string; to: string; line: string }[] = []
  const x = (at: number) => ((at / Math.max(1, points.length - 1)) * 100).toFixed(1)
  let run: string[] = []
  const end = (at: number) => {
    if (run.length === 0) return
    if (run.length === 1) run.push(`${x(at - 0.5)} ${run[0]?.split(' ')[1]}`)
    pieces.push({ from: run[0]?.split(' ')[0] ?? '', to: run.at(-1)?.split(' ')[0] ?? '', line: run.join('L') })
    run = []
  }
  for (const [at, value] of points.entries()) {
    if (value === undefined) end(at)
    else run.push(`${x(at)} ${(height - 1 - Math.min(1, Math.max(0.01, value)) * (height - 2)).toFixed(1)}`)
  }
  end(points.length)
  return pieces
}
