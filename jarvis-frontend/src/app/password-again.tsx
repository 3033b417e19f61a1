import { useEffect, useRef } from 'react'
import { ApiError } from '../api/http.ts'
import { type PasswordQuestion, stepUp } from '../api/step-up.ts'
import { Mark } from '../ui/mark.tsx'
import { Username } from '../ui/username.tsx'
import { Over } from './over.tsx'
import { TryProblem, usePasswordTry } from './password-try.tsx'

/** Asks for the password where a call needs it again. The waiting call then continues. */
export function PasswordAgain({ question }: { question: PasswordQuestion }) {
  const { problem, leftMs, isResting, submit } = usePasswordTry(stepUp, (error) =>
    error instanceof ApiError ? error.message : 'The answer could not be read.',
  )
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])

  const answer = async (password: string) => {
    if (await submit(password)) question.answer(true)
    else field.current?.select()
  }

  return (
    <Over label="Password" onClose={() => question.answer(false)}>
      <form
        className="password-again"
        onSubmit={(event) => {
          event.preventDefault()
          void answer(String(new FormData(event.currentTarget).get('password') ?? ''))
        }}
      >
        <h2>Your password, please</h2>
        <p id="password-again-help">
          This starts a program, makes a key, opens a shell or loosens the rules: being signed in is not enough. It
          counts for five minutes.
        </p>
        <Username />
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
            <Mark kind="bad" size={11} /> <TryProblem problem={problem} leftMs={leftMs} />
          </p>
        )}
        <div className="acts">
          <button type="button" className="button" onClick={() => question.answer(false)}>
            Cancel
          </button>
          <button type="submit" className="button solid" aria-disabled={isResting}>
            Go on
          </button>
        </div>
      </form>
    </Over>
  )
}
