import { Suspense, useRef } from 'react'
import { useConfirmations } from '../../api/confirmations.ts'
import { later } from '../../app/later.tsx'

const DenyAll = later(() => import('../../app/deny-all.tsx').then((part) => part.DenyAll))

/** Denies all waiting cards of the session at once. Stands beside the composer, where more than one card waits. */
export function DenyAllHere({ sessionId }: { sessionId: string }) {
  const here = useConfirmations()?.pending.filter((row) => row.sessionId === sessionId) ?? []
  // It stays while the last card is decided, because it then says what happened.
  const wasSeveral = useRef(false)
  if (here.length > 1) wasSeveral.current = true
  if (!wasSeveral.current) return null
  return (
    <Suspense fallback={null}>
      <DenyAll key={sessionId} rows={here} />
    </Suspense>
  )
}
