/** A thin bar of a ratio 0..1; coloured only past its limit. */
export function Meter({ ratio, tone }: { ratio: number; tone?: 'warn' | 'bad' | undefined }) {
  return (
    <span className="meter">
      <i className={tone === undefined ? '' : `fill-${tone}`} style={{ width: `${Math.min(1, ratio) * 100}%` }} />
    </span>
  )
}
