import { qrOf } from '../lib/qr.ts'

/** Width of the empty margin that a scanner needs around the code, in modules. */
const quiet = 4

/** Draws a QR code, `size` px wide and high. */
export function QrDrawing({ text, label, size }: { text: string; label: string; size: number }) {
  let rows: boolean[][]
  try {
    rows = qrOf(text)
  } catch {
    return null
  }
  const side = rows.length + quiet * 2
  const path = rows
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x + quiet} ${y + quiet}h1v1h-1z` : '')))
    .join('')
  return (
    <svg
      className="qr"
      role="img"
      aria-label={label}
      viewBox={`0 0 ${side} ${side}`}
      width={size}
      height={size}
      shapeRendering="crispEdges"
    >
      <path fill="#fff" d={`M0 0h${side}v${side}H0z`} />
      <path fill="#000" d={path} />
    </svg>
  )
}
