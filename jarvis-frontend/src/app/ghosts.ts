import { useEffect, useMemo, useState } from 'react'
import { useConfirmations } from '../api/confirmations.ts'
import type { actOf } from '../features/confirmations/sentence.ts'

/** For each guest, what a waiting card would do to it. The words are fetched with the first card. */
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
