import { LiveCard, matterOf, replacedOf, useIsInPlan } from '../../app/live-card.tsx'
import type { Call } from '../../features/chat/runs.ts'
import { Step } from '../../features/chat/step.tsx'
import { Tier } from '../../ui/tier.tsx'

/** A call's cards in the chat: replaced cards first, then the current one. */
export function ChatCard({
  call,
  sessionId,
  progress,
}: {
  call: Call
  sessionId: string
  progress: string | undefined
}) {
  const matter = matterOf(call, sessionId, progress)
  const isInPlan = useIsInPlan(matter === undefined ? '' : (matter.card.callId ?? matter.card.toolUseId))
  // While the card waits, it is shown inside its plan's card.
  if (matter === undefined || (isInPlan && matter.resolved === undefined)) return null
  return (
    <Step mark={<Tier tier="red" size={16} />} top={18}>
      {replacedOf(call, sessionId).map((earlier) => (
        <LiveCard key={earlier.card.toolUseId} matter={earlier} />
      ))}
      <LiveCard key={matter.card.toolUseId} matter={matter} />
    </Step>
  )
}
