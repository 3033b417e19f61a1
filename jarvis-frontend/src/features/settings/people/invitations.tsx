import type { Invitation, InvitationReply, RoleInfo } from 'protocol'
import { useState } from 'react'
import { invite, listInvitations, withdrawInvitation } from '../../../api/links.ts'
import { changePerson, type KnownPerson } from '../../../api/people.ts'
import { useLoad } from '../../../api/use-load.ts'
import { exactTime, longSpan } from '../../../lib/format.ts'
import { Visible } from '../../../ui/boxed.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { Mark } from '../../../ui/mark.tsx'
import { QrCode } from '../../../ui/qr-code.tsx'
import { useNow } from '../../../ui/use-now.ts'
import { FormProblem } from '../form-problem.tsx'
import { TwoStep } from './two-step.tsx'
import { useAttempt } from './use-attempt.ts'
import { roleSentence } from './words.ts'

type Props = {
  people: readonly KnownPerson[]
  /** The person who invites. */
  own: { id: string; name: string }
  /** Roles that this person may give. */
  given: readonly string[]
  roles: readonly RoleInfo[] | undefined
  isResting: boolean
  onRenamed: () => void
}

/** For owners: the open invitations, and a form for a new one. The link of a new invitation is shown once. */
export function Invitations({ people, own, given, roles, isResting, onRenamed }: Props) {
  const { data, problem: unread, again } = useLoad('invitations', listInvitations, ['connect', 'people'])
  const { problem, isBusy, attempt } = useAttempt()
  const [made, setMade] = useState<InvitationReply>()
  const [role, setRole] = useState('operator')
  const isHeld = isResting || isBusy
  /**
   * True if the first owner is still alone. Before the first invitation the page asks the owner for a name, because the sign-in page then asks for
   * names.
   */
  const isAlone = people.length === 1
  const make = (form: HTMLFormElement) => {
    const fields = new FormData(form)
    const name = String(fields.get('name')).trim()
    const ownName = String(fields.get('ownName') ?? own.name).trim()
    void attempt(async () => {
      if (ownName !== own.name) {
        await changePerson(own.id, { name: ownName })
        onRenamed()
      }
      setMade(await invite({ role, ...(name !== '' && { name }) }))
    }).then((isDone) => {
      if (!isDone) return
      form.reset()
      again()
    })
  }
  return (
    <>
      <h3>Invite somebody</h3>
      <p>The link is used once, within 72 hours. Whoever has it chooses a password that you never see.</p>
      <form
        className="form-row"
        aria-label="Invite somebody"
        onSubmit={(event) => {
          event.preventDefault()
          make(event.currentTarget)
        }}
      >
        <label>
          Role
          <select className="field" name="role" value={role} onChange={(event) => setRole(event.target.value)}>
            {given.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        </label>
        <label>
          Name, if you like
          <input
            className="field"
            name="name"
            maxLength={40}
            pattern="[A-Za-z0-9._\-]+"
            title="Letters, digits, dots, underscores or dashes"
            autoComplete="off"
            spellCheck={false}
          />
        </label>
        {isAlone && (
          <label>
            Your own name
            <input
              key={own.name}
              className="field"
              name="ownName"
              required
              defaultValue={own.name}
              maxLength={40}
              pattern="[A-Za-z0-9._\-]+"
              title="Letters, digits, dots, underscores or dashes"
              autoComplete="username"
              spellCheck={false}
            />
          </label>
        )}
        <button type="submit" className="button" disabled={isHeld}>
          Make a link
        </button>
        <small className="role-sentence">
          <Visible text={roleSentence(role, roles)} />
          {isAlone && ' Once somebody else is here, the sign-in page asks for a name: you sign in with yours.'}
        </small>
      </form>
      <FormProblem text={problem} />
      {made !== undefined && <Made invitation={made} onSeen={() => setMade(undefined)} />}
      {data === undefined ? (
        <FormProblem text={unread?.message} />
      ) : (
        data.items.length > 0 && (
          <ul className="fact-list" aria-label="Invitations">
            {data.items.map((invitation) => (
              <Row
                key={invitation.id}
                invitation={invitation}
                by={people.find(({ id }) => id === invitation.by)?.name}
                isResting={isHeld}
                onWithdraw={() =>
                  void attempt(() => withdrawInvitation(invitation.id)).then(() => {
                    if (made?.id === invitation.id) setMade(undefined)
                    again()
                  })
                }
              />
            ))}
          </ul>
        )
      )}
    </>
  )
}

function Made({ invitation: { link, role, name }, onSeen }: { invitation: InvitationReply; onSeen: () => void }) {
  return (
    <div className="strip once" role="status">
      <span>
        <b>
          {name ?? 'Somebody'} as {role}: send this link now, it is not shown again.
        </b>
        <code>{link}</code>
        <QrCode text={link} label="The link as a QR code" />
      </span>
      <CopyButton text={link} label="Copy the link" />
      <button type="button" className="button small" onClick={onSeen}>
        I have it
      </button>
    </div>
  )
}

function Row({
  invitation: { role, name, createdAt, expiresAt },
  by,
  isResting,
  onWithdraw,
}: {
  invitation: Invitation
  /** The person who sent the invitation; undefined: it was made on the command line. */
  by: string | undefined
  isResting: boolean
  onWithdraw: () => void
}) {
  const now = useNow(60_000)
  return (
    <li>
      <Mark kind="stopped" size={11} label="not used yet:" />
      <span>
        {name ?? 'Somebody'}
        <small>{role}</small>
      </span>
      <span className="text-soft">
        for {longSpan(Math.max(0, expiresAt - now))} more
        <small>
          invited {exactTime(createdAt)} by {by ?? 'the command line'}
        </small>
      </span>
      <TwoStep act="Withdraw" object={name ?? 'the invitation'} isResting={isResting} onDo={onWithdraw} />
    </li>
  )
}
