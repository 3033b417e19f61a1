import { useCallback } from 'react'
import { useNavigate } from 'react-router'
import { signedIn } from '../api/auth.ts'
import { keep } from '../lib/keep.ts'
import { useValue } from '../lib/use-value.ts'
import { say } from './announce.tsx'
import { live } from './live.ts'

/** Asks in a new chat and goes there; a question that could not be sent waits in the composer. Absent for viewers. */
export function useAskNew(): ((question: string) => void) | undefined {
  const navigate = useNavigate()
  const role = useValue(signedIn)?.role
  const ask = useCallback(
    async (question: string) => {
      const reply = await live.chat.send(undefined, question)
      if (reply.ok) {
        await navigate(`/chat/${reply.sessionId}`)
        return
      }
      keep.set('draft.new', question)
      say(reply.error.message)
      await navigate('/')
    },
    [navigate],
  )
  const asked = useCallback((question: string) => void ask(question), [ask])
  return role === 'operator' ? asked : undefined
}
