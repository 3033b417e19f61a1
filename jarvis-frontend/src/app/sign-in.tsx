import { useEffect, useRef, useState } from 'react'
import { signIn } from '../api/auth.ts'
import { ApiError } from '../api/http.ts'
import { Mark } from '../ui/mark.tsx'
import { Ring } from '../ui/ring.tsx'
import { TryProblem, usePasswordTry } from './password-try.tsx'

export function SignIn() {
  const [password, setPassword] = useState('')
  const { problem, leftMs, isBusy, isResting, submit } = usePasswordTry(signIn, problemOf)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    document.title = 'Sign in: JARVIS'
    field.current?.focus()
  }, [])

  return (
    <main className="sign-in">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void submit(password)
        }}
      >
        <Ring size={72} arcs={[]} core={isBusy ? 'working' : 'quiet'} />
        <h1>JARVIS</h1>
        <label htmlFor="password">Password</label>
        <input
          ref={field}
          id="password"
          className="field"
          type="password"
          autoComplete="current-password"
          required
          value={password}
          aria-describedby="sign-in-help"
          aria-invalid={problem !== undefined}
          onChange={(event) => setPassword(event.target.value)}
        />
        {problem !== undefined && (
          <p className="problem" role="alert">
            <Mark kind="bad" />
            <TryProblem problem={problem} leftMs={leftMs} />
          </p>
        )}
        <button type="submit" className="button solid" aria-disabled={isResting}>
          Sign in
        </button>
        <p id="sign-in-help" className="help">
          On its first start JARVIS prints the password in its terminal. It may also be set as{' '}
          <code>JARVIS_PASSWORD</code>.
        </p>
      </form>
    </main>
  )
}

function problemOf(error: unknown): string {
  if (!(error instanceof ApiError)) return 'Something broke while signing in. Reload the page.'
  if (error.code === 'invalid_credentials') return 'That is not the password.'
  if (error.code === 'too_many_requests') return 'Too many tries.'
  return error.message
}
