import type { ClassifyReply } from 'protocol'
import { ApiError } from 'protocol/client'
import { useEffect, useState } from 'react'
import { classify } from '../../api/tools.ts'

const settleMs = 200

type Answered = { key: string; verdict?: ClassifyReply; problem?: string }

/** Asks for the gate's verdict on a call, shortly after its last change. Empty while the call is incomplete or the gate has not answered. */
export function useVerdict(name: string, input: Record<string, unknown>, isComplete: boolean): Partial<Answered> {
  const [answer, setAnswer] = useState<Answered>()
  const key = `${name} ${JSON.stringify(input)}`
  useEffect(() => {
    if (!isComplete) return
    let isGone = false
    const asked = JSON.parse(key.slice(name.length + 1)) as Record<string, unknown>
    const timer = setTimeout(() => {
      classify(name, asked).then(
        (verdict) => !isGone && setAnswer({ key, verdict }),
        (error: unknown) =>
          !isGone && setAnswer({ key, problem: error instanceof ApiError ? error.message : 'No answer.' }),
      )
    }, settleMs)
    return () => {
      isGone = true
      clearTimeout(timer)
    }
  }, [key, name, isComplete])
  // Ignore a verdict on other arguments.
  return isComplete && answer?.key === key ? answer : {}
}
