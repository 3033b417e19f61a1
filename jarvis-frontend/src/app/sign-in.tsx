import type { WaysReply } from 'protocol'
import { ApiError } from 'protocol/client'
import { useEffect, useRef, useState } from 'react'
import { signOutProblem } from '../api/auth.ts'
import { readWays, resume, signIn } from '../api/sign-in.ts'
import { passkeyProblem } from '../lib/passkey-problem.ts'
import { endPasskeyOffer, hasPasskeys } from '../lib/passkeys.ts'
import { useValue } from '../lib/use-value.ts'
import { Visible } from '../ui/boxed.tsx'
import { Mark } from '../ui/mark.tsx'
import { Ring } from '../ui/ring.tsx'
import { TryProblem, usePasswordTry } from './password-try.tsx'
import { setWindowTitle } from './window-title.ts'

type Given = { name: string; password: string; code: string }

/** The page for a person who is not signed in. */
export function SignIn() {
  const left = useValue(signOutProblem)
  const ways = useWays()
  const hasName = ways?.named === true
  const [given, setGiven] = useState<Given>({ name: '', password: '', code: '' })
  const { problem, leftMs, isBusy, isResting, needsCode, submit, say } = usePasswordTry(give, (error) =>
    problemOf(error, hasName, given.code !== ''),
  )
  const first = useRef<HTMLInputElement>(null)
  const code = useRef<HTMLInputElement>(null)
  useEffect(() => {
    setWindowTitle('Sign in')
    // After a failed sign-out the cookie remains. Do not sign in with it again.
    if (signOutProblem.get() === undefined) void resume()
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the name's field comes first, once it is there
  useEffect(() => first.current?.focus(), [hasName])
  useEffect(() => {
    if (needsCode) code.current?.focus()
  }, [needsCode])
  const field = (key: keyof Given, label: string, more: React.ComponentProps<'input'>) => (
    <>
      <label htmlFor={key}>{label}</label>
      <input
        id={key}
        className="field"
        required
        value={given[key]}
        aria-describedby="sign-in-help"
        aria-invalid={problem !== undefined}
        onChange={(event) => setGiven({ ...given, [key]: event.target.value })}
        {...more}
      />
    </>
  )
  const words = { autoCapitalize: 'none', spellCheck: false }
  return (
    <main className="sign-in">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void submit(given)
        }}
      >
        <Ring size={72} arcs={[]} core={isBusy ? 'working' : 'quiet'} />
        <h1>JARVIS</h1>
        {left !== undefined && (
          <p className="problem" role="alert">
            <Mark kind="bad" />
            {left}
          </p>
        )}
        {hasName && field('name', 'Name', { ref: first, required: false, autoComplete: 'username webauthn', ...words })}
        {field('password', 'Password', {
          ...(!hasName && { ref: first }),
          type: 'password',
          autoComplete: 'current-password webauthn',
        })}
        {needsCode &&
          field('code', 'Code of your app, or a recovery code', { ref: code, autoComplete: 'one-time-code', ...words })}
        {problem !== undefined && (
          <p className="problem" role="alert">
            <Mark kind="bad" />
            <TryProblem problem={problem} leftMs={leftMs} />
          </p>
        )}
        <button type="submit" className="button solid" aria-disabled={isResting}>
          Sign in
        </button>
        {ways !== undefined && <OtherWays ways={ways} onProblem={say} />}
        <p id="sign-in-help" className="help">
          {hasName ? (
            <>
              Without a name the first owner signs in. Nobody can sign in any more? Run <code>jarvis user</code> where
              JARVIS runs.
            </>
          ) : (
            <>
              On its first start JARVIS prints the password in its terminal. It may also be set as{' '}
              <code>JARVIS_PASSWORD</code>.
            </>
          )}
        </p>
      </form>
    </main>
  )
}

const give = ({ name, password, code }: Given) =>
  signIn({ password, ...(name !== '' && { name }), ...(code !== '' && { code }) })

/** Loads the other ways to sign in; undefined until they are known. */
function useWays(): WaysReply | undefined {
  const [ways, setWays] = useState<WaysReply>()
  useEffect(() => {
    let isGone = false
    readWays().then(
      (found) => !isGone && setWays(found),
      // If the server does not answer, the page still asks for the password.
      () => undefined,
    )
    return () => {
      isGone = true
    }
  }, [])
  return ways
}

/** Sign-in with a passkey or another service. If the browser can, it also offers passkeys in the fields (autofill). */
function OtherWays({ ways, onProblem }: { ways: WaysReply; onProblem: (problem: string | undefined) => void }) {
  const isHere = ways.passkeys && ways.problem === undefined && hasPasskeys()
  const enter = async (isAutofill: boolean) => {
    try {
      const { signInWithPasskey } = await import('../api/passkeys.ts')
      await signInWithPasskey(isAutofill)
    } catch (error) {
      // The browser offered autofill by itself, so do not show its failure.
      if (!isAutofill) onProblem(error instanceof ApiError ? error.message : passkeyProblem(error))
    }
  }
  const elsewhere = async (isBack: boolean) => {
    onProblem(undefined)
    try {
      const { goElsewhere, finishSignIn } = await import('../api/elsewhere.ts')
      await (isBack ? finishSignIn() : goElsewhere('sign in'))
    } catch (error) {
      onProblem(error instanceof ApiError ? error.message : 'Something broke while signing in. Try again.')
    }
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: the browser comes back once
  useEffect(() => {
    if (ways.elsewhere !== undefined && location.search === '?from=elsewhere') void elsewhere(true)
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: it asks once, when the way is known
  useEffect(() => {
    if (!isHere) return
    void offersInFields().then((can) => (can ? enter(true) : undefined))
    return () => void endPasskeyOffer()
  }, [isHere])
  return (
    <>
      {isHere && (
        <button type="button" className="button" onClick={() => void enter(false)}>
          Use a passkey
        </button>
      )}
      {ways.elsewhere !== undefined && (
        <button
          type="button"
          className="button"
          disabled={ways.elsewhere.problem !== undefined}
          onClick={() => void elsewhere(false)}
        >
          Sign in with <Visible text={ways.elsewhere.name} />
        </button>
      )}
      {ways.elsewhere?.problem !== undefined && (
        <p className="help">
          <Visible text={ways.elsewhere.problem} />
        </p>
      )}
      {ways.passkeys && ways.problem !== undefined && (
        <p className="help">
          <Visible text={ways.problem} />
        </p>
      )}
    </>
  )
}

async function offersInFields(): Promise<boolean> {
  const { isConditionalMediationAvailable } = (globalThis.PublicKeyCredential ?? {}) as {
    isConditionalMediationAvailable?: () => Promise<boolean>
  }
  return (await isConditionalMediationAvailable?.()) === true
}

function problemOf(error: unknown, hasName: boolean, gaveCode: boolean): string {
  if (!(error instanceof ApiError)) return 'Something broke while signing in. Reload the page.'
  if (error.code === 'invalid_credentials' && !gaveCode)
    return hasName ? 'That is not the name and password of anybody here.' : 'That is not the password.'
  if (error.code === 'too_many_requests') return 'Too many tries.'
  return error.message
}
