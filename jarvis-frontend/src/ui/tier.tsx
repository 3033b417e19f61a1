import { arcPath } from './arc.ts'

export type TierName = 'green' | 'yellow' | 'red' | 'black'

export const tierWord: Record<TierName, string> = { green: 'Read', yellow: 'Change', red: 'Ask', black: 'Never' }
export const tierMeaning: Record<TierName, string> = {
  green: 'runs',
  yellow: 'runs, is journalled',
  red: 'waits for you',
  black: 'is refused',
}

const shapes: Record<TierName, React.ReactNode> = {
  green: <circle cx="8" cy="8" r="5.6" fill="none" stroke="currentColor" strokeWidth="1.9" />,
  yellow: (
    <>
      <circle cx="8" cy="8" r="5.6" fill="none" stroke="currentColor" strokeWidth="1.9" />
      <path d="M8 2.4a5.6 5.6 0 0 1 0 11.2z" fill="currentColor" />
    </>
  ),
  red: <path d="M8 .9 15.1 8 8 15.100.9 8z" fill="currentColor" />,
  black: (
    <>
      <rect className="tier-never" x="1.6" y="1.6" width="12.8" height="12.8" rx="2.6" />
      <path className="tier-bar" d="M4.8 8h6.4" />
    </>
  ),
}

/** Shows the tier of a call as an icon. The icon is decoration: the tier's name is always beside it or in hidden text. */
export function Tier({ tier, size = 14, isRunning = false }: { tier: TierName; size?: number; isRunning?: boolean }) {
  return (
    <svg
      className={`tier tier-${tier}${isRunning ? ' spin' : ''}`}
      width={size}
      height={size}
      viewBox="0 0 16 16"
      aria-hidden="true"
    >
      {isRunning ? (
        <path d={arcPath({ c: 8, r: 5.6 }, 0, 250)} fill="none" stroke="currentColor" strokeWidth="1.9" />
      ) : (
        shapes[tier]
      )}
    </svg>
  )
}

/** An open, turning arc for work in progress. */
export function Turning({ size = 11 }: { size?: number }) {
  return (
    <svg className="spin text-soft" width={size} height={size} viewBox="0 0 16 16" aria-hidden="true">
      <path d={arcPath({ c: 8, r: 6 }, 0, 250)} fill="none" stroke="currentColor" strokeWidth="2.6" />
    </svg>
  )
}

export function TierLegend() {
  return (
    <p className="legend">
      {(['green', 'yellow', 'red', 'black'] as const).map((tier) => (
        <span key={tier}>
          <Tier tier={tier} size={11} />
          <b>{tierWord[tier]}</b> {tierMeaning[tier]}
        </span>
      ))}
    </p>
  )
}
