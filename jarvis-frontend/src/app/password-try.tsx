import { useState } from 'react'
import { ApiError } from '../api/http.ts'
import { clock } from '../lib/format.ts'
import { useNow } from '../ui/use-now.ts'

type Problem = { problem: string | undefined; leftMs: number }

/**
 * Tries of a password, one after the other: why the last one failed, and when the server accepts the next.
 * @param give throws where the server refuses the password
 * @param wordsOf the reason of a refusal, for a person
 */
export function usePasswordTry(give: (password: string) => Promise<unknown>, wordsOf: (error: unknown) => string) {
  const [problem, setProblem] = useState<string>()
  const [blockedUntil, setBlockedUntil] = useState(0)
  const [isBusy, setBusy] = useState(false)
  const leftMs = blockedUntil - useNow(1_000)
  const isResting = isBusy || leftMs > 0
  /** @returns whether the server accepted the password; also false while no try is allowed */
  const submit = async (password: string): Promise<boolean> => {
    if (isResting) return false
    setBusy(true)
    setProblem(undefined)
    try {
      await give(password)
      return true
    } catch (error) {
      setProblem(wordsOf(error))
      if (error instanceof ApiError && error.retryAfterS !== undefined)
        setBlockedUntil(Date.now() + error.retryAfterS * 1_000)
      return false
    } finally {
      setBusy(false)
    }
  }
  return { problem, leftMs, isBusy, isResting, submit }
}

/** Says why the last try failed, and how long the server accepts no other. */
export const TryProblem = ({ problem, leftMs }: Problem) => (
  <span>
    {problem}
    {leftMs > 0 && (
      <>
        {' '}
        Again in <span className="num">{clock(leftMs)}</span>.
      </>
    )}
  </span>
)
