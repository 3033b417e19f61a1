import type { AttachedSignIn, AttachedSignInReply } from 'protocol'
import { exactTime } from '../../lib/format.ts'
import { Visible } from '../../ui/boxed.tsx'

/** The sign-in at an attached server: issuer, scopes, person, expiry, and the problem if there is one. */
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

/** A link to the authorization server. It shows an owner which server it is and which scopes are requested. */
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
