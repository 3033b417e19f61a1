import { useEffect, useRef } from 'react'
import { useArmed } from '../api/changes.ts'
import { useConfirmations } from '../api/confirmations.ts'
import { useQuestions } from '../api/questions.ts'
import { whenIdle } from '../lib/idle.ts'
import { navigate } from '../lib/location.tsx'
import { followNotes } from './notify.ts'

/**
 * Opens the page of a clicked browser notification.
 * @returns the cards and questions that waited when the page opened; undefined until there is a card, a question or a change with a running undo
 * timer
 */
export function useCardNews() {
  const pending = useConfirmations()?.pending
  const questions = useQuestions()
  const changes = useArmed()?.items.length
  const first = useRef({ pending, questions })
  const isOn = useRef(false)
  first.current.pending ??= pending
  first.current.questions ??= questions
  isOn.current ||= (pending?.length || changes || questions?.length || 0) > 0
  useEffect(() => {
    const gone = new AbortController()
    const takeBack = whenIdle(() => followNotes((path) => navigate(path), gone.signal))
    return () => {
      takeBack()
      gone.abort()
    }
  }, [])
  return isOn.current ? first.current : undefined
}
