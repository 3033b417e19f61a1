import type { SessionSummary } from 'protocol'
import { Tier, Turning } from '../../ui/tier.tsx'

/** Shows that a session waits or works. */
export function SessionState({ session }: { session: SessionSummary }) {
  if (session.pendingCount > 0) {
    return (
      <>
        <Tier tier="red" size={11} />
        <span className="vh">waits for you</span>
      </>
    )
  }
  return session.isRunning ? (
    <>
      <Turning size={11} />
      <span className="vh">works</span>
    </>
  ) : null
}
