import type { ApiError } from 'protocol/client'
import { useValue } from '../lib/use-value.ts'
import { Visible } from '../ui/boxed.tsx'
import { Mark } from '../ui/mark.tsx'
import { live } from './live.ts'
import './pages.css'

/** Shows an error: what could not be read, if older data is shown (`kept`), and what to do. */
export function Problem({
  error,
  onAgain,
  kept,
  isRefusal = false,
}: {
  error: ApiError | undefined
  onAgain?: () => void
  kept?: boolean
  /** True if the error answers something that the person just did, so that screen readers read it at once. */
  isRefusal?: boolean
}) {
  if (error === undefined) return null
  const isAway = error.code === 'unreachable'
  return (
    <div className="strip page-problem" role={isRefusal ? 'alert' : 'note'}>
      <Mark kind={isAway ? 'unknown' : 'bad'} size={12} />
      <span>
        <Visible text={error.message} />{' '}
        <span className="text-soft">
          {kept === true && 'What stands here is as it was seen last. '}
          {isAway && 'It is tried again by itself.'}
        </span>
        {!isAway && (
          <details>
            <summary>Details</summary>
            <code>{error.code}</code>
          </details>
        )}
      </span>
      {onAgain !== undefined && (
        <button type="button" className="button small" onClick={onAgain}>
          Try again
        </button>
      )}
    </div>
  )
}

/** Static placeholders while data loads. They appear after 300 ms. */
export function Skeletons({ rows = 6, height = 20 }: { rows?: number; height?: number }) {
  return (
    <div className="skeletons" aria-busy="true">
      {Array.from({ length: rows }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
        <div key={at} className="skeleton" style={{ height }} />
      ))}
    </div>
  )
}

export const useIsLive = (): boolean => useValue(live.link.value).status === 'live'

/** The text that replaces buttons while the connection is lost, or if the person lacks the right. `who`: the least role that may use the buttons. */
export function Resting({
  isOperator,
  isLive,
  who = 'operator',
}: {
  isOperator: boolean
  isLive: boolean
  who?: 'operator' | 'owner'
}) {
  if (!isOperator) return <p className="rest-note">An {who} can do this.</p>
  if (!isLive) return <p className="rest-note">Without a connection nothing can be changed.</p>
  return null
}
