import type { AttachedSignIn, AttachedSignInReply } from 'protocol'
import { exactTime } from '../../lib/format.ts'
import { Visible } from '../../ui/boxed.tsx'

/** The standing of a server's sign-in: where, for what, until when, or why there is none. */
export function SignInFacts({ signIn }: { signIn: AttachedSignIn }) {
  const { state, issuer, scopes, wants, expiresAt, isRenewed, by, at, problem } = signIn
  const end =
    expiresAt === undefined ? '' : `; its token ends ${exactTime(expiresAt)}${isRenewed ? ' and is renewed' : ''}`
  return (
    <>
      {(state === 'signed_in' || state === 'more') && (
        <small>
          signed in at <Visible text={issuer ?? ''} />
          {scopes.length > 0 && (
            <>
              {' for '}
              <Visible text={scopes.join(', ')} />
            </>
          )}
          {by !== undefined && at !== undefined && `, by ${by} ${exactTime(at)}`}
          {end}
        </small>
      )}
      {state === 'more' && (
        <small className="text-ink">
          It asks for more rights: <Visible text={wants.join(', ')} />. Sign in again to give them.
        </small>
      )}
      {problem !== undefined && (
        <small className="text-ink">
          <Visible text={problem} />
        </small>
      )}
    </>
  )
}

/** The way to the authorization server, once an owner has seen which it is and what it is asked for. */
export function SignInLink({
  begun: { address, issuer, scopes },
  onLeave,
}: {
  begun: AttachedSignInReply
  onLeave: () => void
}) {
  return (
    <small className="text-ink">
      You sign in at <Visible text={issuer} />
      {scopes.length > 0 && (
        <>
          , which is asked for: <Visible text={scopes.join(', ')} />
        </>
      )}
      . The link works once, for ten minutes.{' '}
      <a className="button small" href={address}>
        Go there
      </a>{' '}
      <button type="button" className="button small quiet" onClick={onLeave}>
        Leave it
      </button>
    </small>
  )
}
