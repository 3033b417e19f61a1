import { useLayoutEffect, useRef, useState } from 'react'
import { live } from '../../app/live.ts'
import type { Attached } from '../../features/chat/attach.tsx'
import type { Sent } from '../../features/chat/client.ts'
import { keep } from '../../lib/keep.ts'
import { navigate } from '../../lib/location.tsx'
import { takesMessages } from '../../realtime/link.ts'

/** The session that a new chat has just become. Its page takes over text that was typed meanwhile. */
let begun: string | undefined

/**
 * Sends a message to a session, or starts a session with it. A message that could not be sent returns to the composer.
 * @param sessionId undefined in a new chat
 * @param model the model of a new session; undefined: the model in use
 * @returns `starting`: text of the message that is starting a session now; `draftVersion`: incremented each time text is put into the composer
 */
export function useSending(sessionId: string | undefined, model: string | undefined) {
  const [starting, setStarting] = useState<string>()
  const [problem, setProblem] = useState<string>()
  const [draftVersion, setDraftVersion] = useState(0)
  const first = useRef<Promise<Sent>>(undefined)
  const attached = useRef<Attached>(undefined)
  const draftKey = sessionId ?? 'new'

  const send = async (text: string, requestId?: string) => {
    if (!takesMessages(live.link.value.get())) {
      setProblem('No connection: nothing was sent.')
      return requestId === undefined ? putDraft(text) : undefined
    }
    const files = requestId === undefined ? attached.current?.ids() : undefined
    if (requestId === undefined && attached.current && files === undefined) return putDraft(text)
    if (sessionId !== undefined) {
      attached.current?.clear()
      void live.chat.send(sessionId, text, { requestId, files })
      return
    }
    const before = first.current
    if (before !== undefined) {
      // A text that was typed before the session existed belongs to that session, not to another new chat.
      const reply = await before
      if (reply.ok) {
        attached.current?.clear()
        void live.chat.send(reply.sessionId, text, { files })
      } else putDraft([keep.get('draft.new'), text].filter(Boolean).join('\n\n'))
      return
    }
    setStarting(text)
    setProblem(undefined)
    // Keep the text as a draft until a session has it.
    keep.set('draft.new', text)
    first.current = live.chat.send(undefined, text, { model, files })
    const reply = await first.current
    const typed = keep.get('draft.new') === text ? undefined : keep.get('draft.new')
    if (reply.ok) {
      attached.current?.clear()
      keep.set('draft.new', typed)
      begun = reply.sessionId
      navigate(`/chat/${reply.sessionId}`, { state: { write: true } })
      return
    }
    first.current = undefined
    setStarting(undefined)
    setProblem(reply.error.message)
    putDraft(typed === undefined ? text : `${text}\n\n${typed}`)
  }
  const putDraft = (text: string) => {
    keep.set(`draft.${draftKey}`, text)
    setDraftVersion((version) => version + 1)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the new chat has become this session
  useLayoutEffect(() => {
    if (sessionId === undefined || begun !== sessionId) return
    begun = undefined
    const typed = keep.get('draft.new')
    keep.set('draft.new', undefined)
    if (typed !== undefined) putDraft(typed)
  }, [])
  return { attached, starting, problem, setProblem, draftVersion, putDraft, send }
}
