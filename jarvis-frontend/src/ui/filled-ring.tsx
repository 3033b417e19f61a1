import { arcPath } from './arc.ts'

/** A ring that fills. @param share 0..1 */
export function FilledRing({ share, size = 14 }: { share: number; size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 16 16" aria-hidden="true">
      <circle className="timer-ring" cx="8" cy="8" r="6" />
      <path className="timer-ring left" d={arcPath({ c: 8, r: 6 }, 0, Math.min(359.9, Math.max(4, 360 * share)))} />
    </svg>
  )
}
