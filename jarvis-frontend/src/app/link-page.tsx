import type { LinkReply } from 'protocol'
import { ApiError } from 'protocol/client'
import { useEffect, useRef, useState } from 'react'
import { signedIn } from '../api/auth.ts'
import { readLink, takeLink } from '../api/links.ts'
import { exactTime } from '../lib/format.ts'
import { useValue } from '../lib/use-value.ts'
import { Visible } from '../ui/boxed.tsx'
import { Link } from '../ui/link.tsx'
import { Mark } from '../ui/mark.tsx'
import { Ring } from '../ui/ring.tsx'
import { TryProblem, usePasswordTry } from './password-try.tsx'

const problemOf = (error: unknown) =>
  error instanceof ApiError ? error.message : 'Something broke. Open the link once more.'

/** The page of a link to join by an invitation or to set a new password. The link's secret is only in the URL fragment. */
export function LinkPage({ secret }: { secret: string }) {
  const [link, setLink] = useState<LinkReply>()
  const [lost, setLost] = useState<string>()
  useEffect(() => {
    let isGone = false
    readLink(secret).then(
      (found) => !isGone && setLink(found),
      (error: unknown) => !isGone && setLost(problemOf(error)),
    )
    return () => {
      isGone = true
    }
  }, [secret])
  if (link !== undefined) return <Taking secret={secret} link={link} />
  return (
    <main className="sign-in" aria-busy={lost === undefined}>
      <form>
        <Ring size={72} arcs={[]} core={lost === undefined ? 'working' : 'quiet'} />
        <h1>JARVIS</h1>
        {lost !== undefined && (
          <>
            <p className="problem" role="alert">
              <Mark kind="bad" /> {lost}
            </p>
            <Link className="button" to="/" replace>
              To the sign-in
            </Link>
          </>
        )}
      </form>
    </main>
  )
}

function Taking({ secret, link }: { secret: string; link: LinkReply }) {
  const isJoin = link.kind === 'join'
  const here = useValue(signedIn)?.name
  const [name, setName] = useState(link.name ?? '')
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const { problem, leftMs, isBusy, isResting, needsCode, submit } = usePasswordTry(takeLink, problemOf)
  const first = useRef<HTMLInputElement>(null)
  useEffect(() => first.current?.focus(), [])
  const needsName = isJoin && link.name === undefined
  return (
    <main className="sign-in">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void submit({ secret, password, ...(isJoin && { name: name.trim() }), ...(code !== '' && { code }) })
        }}
      >
        <Ring size={72} arcs={[]} core={isBusy ? 'working' : 'quiet'} />
        <h1>JARVIS</h1>
        <p className="offer">
          {link.kind === 'join' ? (
            <>
              <b>
                <Visible text={link.by ?? 'The owner of this JARVIS'} />
              </b>{' '}
              invites you as <b>{link.role}</b>.
            </>
          ) : (
            <>
              A new password for{' '}
              <b>
                <Visible text={link.name} />
              </b>
              . It ends every sign-in of that person.
            </>
          )}
          <small>Once, until {exactTime(link.expiresAt)}.</small>
          {here !== undefined && (
            <small>
              You are signed in here as <Visible text={here} />, which ends with this.
            </small>
          )}
        </p>
        {isJoin && (
          <>
            <label htmlFor="name">Your name</label>
            <input
              id="name"
              className="field"
              required
              maxLength={40}
              pattern="[A-Za-z0-9._\-]+"
              title="Letters, digits, dots, underscores or dashes"
              autoComplete="username"
              autoCapitalize="none"
              spellCheck={false}
              value={name}
              ref={needsName ? first : undefined}
              onChange={(event) => setName(event.target.value)}
            />
          </>
        )}
        <label htmlFor="password">A password, 8 characters or more</label>
        <input
          id="password"
          className="field"
          type="password"
          required
          minLength={8}
          autoComplete="new-password"
          value={password}
          ref={needsName ? undefined : first}
          onChange={(event) => setPassword(event.target.value)}
        />
        {needsCode && (
          <>
            <label htmlFor="code">Code of your app, or a recovery code</label>
            <input
              id="code"
              className="field"
              required
              autoComplete="one-time-code"
              value={code}
              onChange={(event) => setCode(event.target.value)}
            />
          </>
        )}
        {problem !== undefined && (
          <p className="problem" role="alert">
            <Mark kind="bad" />
            <TryProblem problem={problem} leftMs={leftMs} />
          </p>
        )}
        <button type="submit" className="button solid" aria-disabled={isResting}>
          {isJoin ? 'Come in' : 'Set the password'}
        </button>
      </form>
    </main>
  )
}
