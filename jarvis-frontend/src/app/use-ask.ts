import { useCallback } from 'react'
import { signedIn } from '../api/auth.ts'
import { keep } from '../lib/keep.ts'
import { navigate } from '../lib/location.tsx'
import { useValue } from '../lib/use-value.ts'
import { say } from './announce.tsx'
import { live } from './live.ts'

/**
 * Returns a function that sends a message in a new chat and opens the chat. A message that could not be sent stays in the composer. Undefined for
 * viewers.
 */
export function useAskNew(): ((question: string) => void) | undefined {
  const mayAsk = useValue(signedIn)?.mayAsk === true
  const ask = useCallback(async (question: string) => {
    const isLive = live.link.value.get().status === 'live'
    const reply = isLive ? await live.chat.send(undefined, question) : undefined
    if (reply?.ok) {
      navigate(`/chat/${reply.sessionId}`)
      return
    }
    keep.set('draft.new', question)
    say(reply?.error.message ?? 'No connection: nothing was sent.')
    navigate('/')
  }, [])
  const asked = useCallback((question: string) => void ask(question), [ask])
  return mayAsk ? asked : undefined
}
