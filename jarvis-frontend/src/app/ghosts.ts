import { useEffect, useMemo, useState } from 'react'
import { useConfirmations } from '../api/confirmations.ts'
import type { actOf } from '../features/confirmations/sentence.ts'

/**
 * Returns for each guest (by vmid) the effect that a waiting card would have on it, in words. The module with the words is loaded with the first
 * card.
 */
export function useGhosts(): ReadonlyMap<number, string> {
  const waiting = useConfirmations()?.pending
  const [words, setWords] = useState<{ actOf: typeof actOf }>()
  const isWanted = waiting !== undefined && waiting.length > 0
  useEffect(() => {
    if (isWanted) void import('../features/confirmations/sentence.ts').then(setWords, () => {})
  }, [isWanted])
  return useMemo(
    () =>
      new Map(
        (words === undefined ? [] : (waiting ?? [])).flatMap((row) =>
          row.target.vmid === undefined || words === undefined
            ? []
            : [[row.target.vmid, words.actOf(row).ghost] as const],
        ),
      ),
    [waiting, words],
  )
}
