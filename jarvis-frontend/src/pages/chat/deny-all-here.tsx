import { Suspense, useRef } from 'react'
import { useConfirmations } from '../../api/confirmations.ts'
import { later } from '../../app/later.tsx'

const DenyAll = later(() => import('../../app/deny-all.tsx').then((part) => part.DenyAll))

/** A button beside the composer that denies all waiting cards of the session at once. Shown if more than one card waits. */
export function DenyAllHere({ sessionId }: { sessionId: string }) {
  const here = useConfirmations()?.pending.filter((row) => row.sessionId === sessionId) ?? []
  // The button stays until the last card is decided, to show the result.
  const wasSeveral = useRef(false)
  if (here.length > 1) wasSeveral.current = true
  if (!wasSeveral.current) return null
  return (
    <Suspense fallback={null}>
      <DenyAll key={sessionId} rows={here} />
    </Suspense>
  )
}
