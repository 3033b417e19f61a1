import { ApiError } from 'protocol/client'
import { useState } from 'react'
import { clock } from '../lib/format.ts'
import { useNow } from '../ui/use-now.ts'

type Problem = { problem: string | undefined; leftMs: number }

/**
 * Handles attempts to sign in, one at a time: why the last attempt failed, and when the server accepts the next.
 * @param give throws if the server refuses the credentials
 * @param wordsOf the reason of a refusal, for a person
 */
export function usePasswordTry<T>(
  give: (given: T) => Promise<unknown>,
  wordsOf: (error: unknown) => string | undefined,
) {
  const [problem, setProblem] = useState<string>()
  const [blockedUntil, setBlockedUntil] = useState(0)
  const [isBusy, setBusy] = useState(false)
  const [needsCode, setNeedsCode] = useState(false)
  const leftMs = blockedUntil - useNow(1_000)
  const isResting = isBusy || leftMs > 0
  /** @returns true if the server accepted the credentials; false if not, or if no attempt is allowed yet */
  const submit = async (given: T): Promise<boolean> => {
    if (isResting) return false
    setBusy(true)
    setProblem(undefined)
    try {
      await give(given)
      return true
    } catch (error) {
      const isCodeMissing = error instanceof ApiError && error.code === 'second_factor_required'
      if (isCodeMissing) setNeedsCode(true)
      // The first time, no message is needed: the field for the code appears.
      if (!isCodeMissing || needsCode) setProblem(wordsOf(error))
      if (error instanceof ApiError && error.retryAfterS !== undefined)
        setBlockedUntil(Date.now() + error.retryAfterS * 1_000)
      return false
    } finally {
      setBusy(false)
    }
  }
  return { problem, leftMs, isBusy, isResting, needsCode, submit, say: setProblem }
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
