import { useState } from 'react'
import { problemOf, type Said } from './verdict.tsx'

/** Runs one request of a form at a time and keeps its result. `models`: the model names that the server listed last. */
export function useAttempt(isResting = false) {
  const [said, setSaid] = useState<Said>()
  const [isBusy, setBusy] = useState(false)
  const [models, setModels] = useState<readonly string[]>([])
  const attempt = async (work: () => Promise<Said | undefined>) => {
    if (isBusy || isResting) return
    setBusy(true)
    setSaid(undefined)
    const came = await work().catch(problemOf)
    if (came?.models !== undefined) setModels(came.models)
    setSaid(came)
    setBusy(false)
  }
  return { said, setSaid, isBusy, models, setModels, attempt }
}
