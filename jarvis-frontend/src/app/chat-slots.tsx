import { lazy, Suspense } from 'react'
import type { ChatSlots } from '../features/chat/slots.ts'
import { Step } from '../features/chat/step.tsx'
import { NounCode, NounText } from '../features/cluster/noun.tsx'
import { Tier } from '../ui/tier.tsx'
import { live } from './live.ts'
import { LiveCard, matterOf, replacedOf } from './live-card.tsx'
import { UnknownOutcome } from './unknown-outcome.tsx'
import { useAskNew } from './use-ask.ts'

const RecalledPassages = lazy(() => import('./recalled.tsx').then((part) => ({ default: part.RecalledPassages })))
const UndoWrite = lazy(() => import('./undo-write.tsx').then((part) => ({ default: part.UndoWrite })))

/** Where the chat meets cards and the cluster. */
export const chatSlots: ChatSlots = {
  Card: ({ call, sessionId, progress }) => {
    const matter = matterOf(call, sessionId, progress)
    if (matter === undefined) return null
    return (
      <Step mark={<Tier tier="red" size={16} />} top={18}>
        {replacedOf(call, sessionId).map((earlier) => (
          <LiveCard key={earlier.card.toolUseId} matter={earlier} />
        ))}
        <LiveCard key={matter.card.toolUseId} matter={matter} />
      </Step>
    )
  },
  Unknown: UnknownOutcome,
  Recalled: (given) => (
    <Suspense fallback={null}>
      <RecalledPassages {...given} />
    </Suspense>
  ),
  Undo: (given) => (
    <Suspense fallback={null}>
      <UndoWrite {...given} />
    </Suspense>
  ),
  Prose: ({ text }) => <NounText text={text} onAsk={useAskNew()} />,
  Code: ({ text }) => <NounCode text={text} onAsk={useAskNew()} />,
  guestName: (vmid) => live.cluster.view.get().state?.guests.find((guest) => guest.vmid === vmid)?.name,
}
