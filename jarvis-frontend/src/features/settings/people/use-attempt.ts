import { useState } from 'react'
import { ApiError } from '../../../api/http.ts'

/** Runs one request at a time and keeps why the last one failed. */
export function useAttempt() {
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  /** @returns whether it was done */
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
