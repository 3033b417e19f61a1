import { ApiError } from 'protocol/client'
import { useEffect, useRef } from 'react'
import { signedIn } from '../api/auth.ts'
import { listPasskeys, stepUpWithPasskey } from '../api/passkeys.ts'
import { type PasswordQuestion, stepUp } from '../api/step-up.ts'
import { useLoad } from '../api/use-load.ts'
import { passkeyProblem } from '../lib/passkey-problem.ts'
import { useValue } from '../lib/use-value.ts'
import { Mark } from '../ui/mark.tsx'
import { Username } from '../ui/username.tsx'
import { Over } from './over.tsx'
import { TryProblem, usePasswordTry } from './password-try.tsx'

/** Asks for the password or a passkey because a call needs it again. The waiting call then continues. */
export function PasswordAgain({ question }: { question: PasswordQuestion }) {
  const { problem, leftMs, isResting, needsCode, submit, say } = usePasswordTry(stepUp, (error) =>
    error instanceof ApiError ? error.message : 'The answer could not be read.',
  )
  const name = useValue(signedIn)?.name
  const passkeys = useLoad('passkeys', listPasskeys).data
  const hasPasskey = passkeys !== undefined && passkeys.items.length > 0 && passkeys.problem === undefined
  const field = useRef<HTMLInputElement>(null)
  const code = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  useEffect(() => {
    if (needsCode) code.current?.focus()
  }, [needsCode])

  const answer = async (form: HTMLFormElement) => {
    const given = new FormData(form)
    const typed = String(given.get('code') ?? '').trim()
    const isRight = await submit({
      password: String(given.get('password') ?? ''),
      ...(typed !== '' && { code: typed }),
    })
    if (isRight) question.answer(true)
    else (code.current ?? field.current)?.select()
  }
  const sign = async () => {
    try {
      await stepUpWithPasskey()
      question.answer(true)
    } catch (error) {
      say(error instanceof ApiError ? error.message : passkeyProblem(error))
    }
  }

  return (
    <Over label="Password" onClose={() => question.answer(false)}>
      <form
        className="password-again"
        onSubmit={(event) => {
          event.preventDefault()
          void answer(event.currentTarget)
        }}
      >
        <h2>Your password, please</h2>
        <p id="password-again-help">
          This starts a program, makes a key, opens a shell or loosens the rules: being signed in is not enough. It
          counts for five minutes.
        </p>
        <Username name={name} />
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
        {needsCode && (
          <label>
            Code of your app, or a recovery code
            <input ref={code} className="field" name="code" autoComplete="one-time-code" required />
          </label>
        )}
        {problem !== undefined && (
          <p className="form-problem" role="alert">
            <Mark kind="bad" size={11} /> <TryProblem problem={problem} leftMs={leftMs} />
          </p>
        )}
        <div className="acts">
          <button type="button" className="button" onClick={() => question.answer(false)}>
            Cancel
          </button>
          {hasPasskey && (
            <button type="button" className="button" onClick={() => void sign()}>
              Use a passkey
            </button>
          )}
          <button type="submit" className="button solid" aria-disabled={isResting}>
            Go on
          </button>
        </div>
      </form>
    </Over>
  )
}
