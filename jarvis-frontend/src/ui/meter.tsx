/** A thin bar for a ratio 0..1. It is grey without `tone`. */
export function Meter({ ratio, tone }: { ratio: number; tone?: 'warn' | 'bad' | undefined }) {
  return (
    <span className="meter">
      <i className={tone === undefined ? '' : `fill-${tone}`} style={{ width: `${Math.min(1, ratio) * 100}%` }} />
    </span>
  )
}
