import { useEffect, useRef, useState } from 'react'
import { ApiError } from '../api/http.ts'
import { type PasswordQuestion, stepUp } from '../api/step-up.ts'
import { clock } from '../lib/format.ts'
import { Mark } from '../ui/mark.tsx'
import { useNow } from '../ui/use-now.ts'
import { Over } from './over.tsx'

/** Asks for the password before something that a sign-in alone may not do. What waits for it goes on by itself. */
export function PasswordAgain({ question }: { question: PasswordQuestion }) {
  const [problem, setProblem] = useState<string>()
  const [blockedUntil, setBlockedUntil] = useState(0)
  const [isBusy, setBusy] = useState(false)
  const left = blockedUntil - useNow(1_000)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])

  const submit = async (password: string) => {
    setBusy(true)
    setProblem(undefined)
    try {
      await stepUp(password)
      question.answer(true)
      return
    } catch (error) {
      setProblem(error instanceof ApiError ? error.message : 'The answer could not be read.')
      if (error instanceof ApiError && error.retryAfterS !== undefined)
        setBlockedUntil(Date.now() + error.retryAfterS * 1_000)
    }
    setBusy(false)
    field.current?.select()
  }

  return (
    <Over label="Password" onClose={() => question.answer(false)}>
      <form
        className="password-again"
        onSubmit={(event) => {
          event.preventDefault()
          const given = String(new FormData(event.currentTarget).get('password') ?? '')
          if (!isBusy && left <= 0) void submit(given)
        }}
      >
        <h2>Your password, please</h2>
        <p id="password-again-help">
          This starts a program, makes a key, opens a shell or loosens the rules: being signed in is not enough. It
          counts for five minutes.
        </p>
        <input
          className="vh"
          name="username"
          autoComplete="username"
          value="operator"
          readOnly
          tabIndex={-1}
          aria-hidden="true"
        />
        <label>
          Password
          <input
            ref={field}
            className="field"
            type="password"
            name="password"
            autoComplete="current-password"
            required
            aria-describedby="password-again-help"
            aria-invalid={problem !== undefined}
          />
        </label>
        {problem !== undefined && (
          <p className="form-problem" role="alert">
            <Mark kind="bad" size={11} />{' '}
            <span>
              {problem}
              {left > 0 && (
                <>
                  {' '}
                  Again in <span className="num">{clock(left)}</span>.
                </>
              )}
            </span>
          </p>
        )}
        <div className="acts">
          <button type="button" className="button" onClick={() => question.answer(false)}>
            Cancel
          </button>
          <button type="submit" className="button solid" aria-disabled={isBusy || left > 0}>
            Go on
          </button>
        </div>
      </form>
    </Over>
  )
}
