import { useState } from 'react'
import { branchSession } from '../../api/session-acts.ts'
import { sessions } from '../../api/sessions.ts'
import { say } from '../../app/announce.tsx'
import { live } from '../../app/live.ts'
import { navigate } from '../../lib/location.tsx'

/** The point where a branch starts, and the message that is sent in it, if any. `model`: the model that answers in the branch. */
type Point = ({ before: number } | { after: number }) & { text?: string; files?: string[] | undefined; model?: string }

/** Returns a function that creates a branch, sends the message in it and opens it. A message that could not be sent stays there, to be sent again. */
export function useBranch(sessionId: string) {
  const [isBranching, setBranching] = useState(false)
  const [problem, setProblem] = useState<string>()
  const branch = async ({ text, files, ...point }: Point) => {
    if (isBranching) return
    setBranching(true)
    setProblem(undefined)
    try {
      const made = await branchSession(sessionId, point)
      sessions.renew()
      if (text !== undefined) void live.chat.send(made.id, text, { files })
      navigate(`/chat/${made.id}`, { state: { write: true } })
    } catch (error) {
      const message = error instanceof Error ? error.message : 'It could not be branched.'
      setProblem(message)
      say(message)
    }
    setBranching(false)
  }
  return { branch: (point: Point) => void branch(point), isBranching, problem }
}
