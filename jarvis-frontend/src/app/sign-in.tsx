import { useEffect, useRef, useState } from 'react'
import { signIn } from '../api/auth.ts'
import { ApiError } from '../api/http.ts'
import { clock } from '../lib/format.ts'
import { Mark } from '../ui/mark.tsx'
import { Ring } from '../ui/ring.tsx'
import { useNow } from '../ui/use-now.ts'

export function SignIn() {
  const [password, setPassword] = useState('')
  const [problem, setProblem] = useState<string>()
  const [blockedUntil, setBlockedUntil] = useState(0)
  const [isBusy, setBusy] = useState(false)
  const left = blockedUntil - useNow(1_000)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    document.title = 'Sign in: JARVIS'
    field.current?.focus()
  }, [])

  const submit = async () => {
    setBusy(true)
    setProblem(undefined)
    try {
      await signIn(password)
    } catch (error) {
      setProblem(problemOf(error))
      if (error instanceof ApiError && error.retryAfterS !== undefined)
        setBlockedUntil(Date.now() + error.retryAfterS * 1_000)
    }
    setBusy(false)
  }

  return (
    <main className="sign-in">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (!isBusy && left <= 0) void submit()
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
        <button type="submit" className="button solid" aria-disabled={isBusy || left > 0}>
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
