import { useEffect, useRef } from 'react'
import { useConfirmations } from '../api/confirmations.ts'
import { cardSentence } from '../features/confirmations/words.ts'
import { whenIdle } from '../lib/idle.ts'
import { navigate } from '../lib/location.tsx'
import { useNow } from '../ui/use-now.ts'
import { interrupt, say } from './announce.tsx'

const spokenAtMin = [5, 1]

/** Announces each new card once, and again when five minutes and one minute are left. */
export function useCardNews(): void {
  const pending = useConfirmations()?.pending
  const known = useRef<Set<string>>(undefined)
  const spoken = useRef(new Set<string>())
  useEffect(() => {
    const gone = new AbortController()
    const takeBack = whenIdle(() => {
      void import('./notify.ts').then(({ followNotes }) => followNotes((path) => navigate(path), gone.signal))
    })
    return () => {
      takeBack()
      gone.abort()
    }
  }, [])
  const now = useNow(5_000)
  useEffect(() => {
    if (pending === undefined) return
    const ids = new Set(pending.map((row) => row.toolUseId))
    for (const id of known.current ?? []) {
      if (!ids.has(id)) void import('./notify.ts').then(({ withdrawNote }) => withdrawNote(id))
    }
    const fresh = known.current === undefined ? [] : pending.filter((row) => !known.current?.has(row.toolUseId))
    known.current = ids
    for (const row of fresh) {
      const minutes = Math.round((row.expiresAt - Date.now()) / 60_000)
      void import('./notify.ts').then(({ notify }) => notify(cardSentence(row), row.toolUseId))
      interrupt(`${cardSentence(row)} ${minutes} minutes to decide. Ctrl . goes to it.`)
    }
  }, [pending])
  useEffect(() => {
    for (const row of pending ?? []) {
      const left = Math.ceil((row.expiresAt - now) / 60_000)
      const key = `${row.toolUseId} ${left}`
      if (!spokenAtMin.includes(left) || spoken.current.has(key)) continue
      spoken.current.add(key)
      say(`${left === 1 ? 'One minute' : `${left} minutes`} left: ${cardSentence(row)}`)
    }
  }, [pending, now])
}
