import { ApiError } from 'protocol/client'
import { useState } from 'react'
import { call } from '../../api/http.ts'
import { FormProblem } from './form-problem.tsx'

/** Removes the saved cluster and its token. */
export function ForgetCluster({ onForgotten }: { onForgotten: () => void }) {
  const [isAsking, setAsking] = useState(false)
  const [problem, setProblem] = useState<string>()
  const forget = async () => {
    try {
      await call('DELETE /api/setup')
      setAsking(false)
      setProblem(undefined)
      onForgotten()
    } catch (error) {
      setProblem(error instanceof ApiError ? error.message : 'The answer could not be read.')
    }
  }
  return (
    <div className="form-row">
      {isAsking ? (
        <>
          <button type="button" className="button small" onClick={() => void forget()}>
            Forget the address and the token
          </button>
          <button type="button" className="button small quiet" onClick={() => setAsking(false)}>
            Keep the cluster
          </button>
        </>
      ) : (
        <button type="button" className="button small quiet" onClick={() => setAsking(true)}>
          Forget the saved cluster…
        </button>
      )}
      <FormProblem text={problem} />
    </div>
  )
}
