import type { ConfirmationRow, QuestionRow } from 'protocol'
import { useEffect, useRef } from 'react'
import { useArmed } from '../api/changes.ts'
import { useConfirmations } from '../api/confirmations.ts'
import { useQuestions } from '../api/questions.ts'
import { cardSentence, spokenCard } from '../features/confirmations/words.ts'
import { askerOf, gistOf } from '../features/questions/words.ts'
import { useNow } from '../ui/use-now.ts'
import { interrupt, say } from './announce.tsx'
import { spokenAtMs, spokenWords } from './changes/words.ts'

const spokenAtMin = [5, 1]
/** Interval of the timer, ms. An announcement counts as due within two intervals, so that a late timer misses none. */
const lateMs = 5_000

/**
 * Announces each new card once, and again when five minutes and one minute are left to decide. Announces a change that goes back by itself when two
 * minutes and 30 s are left. @param first the cards that were there when the page opened; these are not announced as new
 */
export function CardNews({ first }: { first: readonly ConfirmationRow[] }) {
  const pending = useConfirmations()?.pending
  const { items: changes = [], aheadMs = 0 } = useArmed() ?? {}
  const known = useRef(new Set(first.map((row) => row.toolUseId)))
  const spoken = useRef(new Set<string>())
  const now = useNow(lateMs)
  useEffect(() => {
    if (pending === undefined) return
    const ids = new Set(pending.map((row) => row.toolUseId))
    for (const id of known.current) {
      if (!ids.has(id)) void import('./notify.ts').then(({ withdrawNote }) => withdrawNote(id))
    }
    const fresh = pending.filter((row) => !known.current.has(row.toolUseId))
    known.current = ids
    for (const row of fresh) {
      const minutes = Math.round((row.expiresAt - Date.now()) / 60_000)
      void import('./notify.ts').then(({ notify }) => notify(cardSentence(row), row.toolUseId))
      interrupt(`${spokenCard(row)} ${minutes} minutes to decide. Ctrl . goes to it.`)
    }
  }, [pending])
  useEffect(() => {
    const once = (key: string, words: string) => {
      if (spoken.current.has(key)) return
      spoken.current.add(key)
      say(words)
    }
    for (const row of pending ?? []) {
      const left = Math.ceil((row.expiresAt - now) / 60_000)
      if (!spokenAtMin.includes(left)) continue
      once(`${row.toolUseId} ${left}`, `${left === 1 ? 'One minute' : `${left} minutes`} left: ${cardSentence(row)}`)
    }
    for (const { id, goesBackAt = 0, sentence } of changes) {
      const left = goesBackAt - now - aheadMs
      const due = spokenAtMs.find((ms) => left <= ms && left > ms - 2 * lateMs)
      if (due !== undefined) once(`${id} ${due}`, spokenWords(due, sentence))
    }
  }, [pending, changes, aheadMs, now])
  return null
}

/**
 * Announces each new question once. @param first the questions that were there when the page opened; undefined: the questions of the first read.
 * These are not announced.
 */
export function QuestionNews({ first }: { first: readonly QuestionRow[] | undefined }) {
  const asked = useQuestions()
  const known = useRef<ReadonlySet<string>>(undefined)
  useEffect(() => {
    if (asked === undefined) return
    const open = asked.filter(({ end }) => end === undefined)
    const before = known.current ?? new Set((first ?? open).map(({ questionId }) => questionId))
    known.current = new Set(open.map(({ questionId }) => questionId))
    for (const id of before)
      if (!known.current.has(id)) void import('./notify.ts').then(({ withdrawNote }) => withdrawNote(id))
    for (const row of open.filter(({ questionId }) => !before.has(questionId))) {
      const words = `${askerOf(row)} asks: ${gistOf(row)}`
      const path = `/waiting?question=${encodeURIComponent(row.questionId)}`
      void import('./notify.ts').then(({ notify }) => notify(words, row.questionId, path))
      // A question is less urgent than a card, so it does not interrupt the screen reader.
      say(`Question. ${words}`)
    }
  }, [asked, first])
  return null
}
