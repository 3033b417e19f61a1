import { ApiError } from 'protocol/client'
import { useState } from 'react'

/** Runs one request at a time and stores the error of the last one. */
export function useAttempt() {
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  /** @returns true if the request succeeded; false if it failed or another request is running */
  const attempt = async (work: () => Promise<unknown>): Promise<boolean> => {
    if (isBusy) return false
    setBusy(true)
    setProblem(undefined)
    try {
      await work()
      return true
    } catch (error) {
      setProblem(error instanceof ApiError ? error.message : 'The answer could not be read.')
      return false
    } finally {
      setBusy(false)
    }
  }
  return { problem, isBusy, attempt, say: setProblem }
}
