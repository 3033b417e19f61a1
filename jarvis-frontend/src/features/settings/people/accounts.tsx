import type { ForeignAccount } from 'protocol'
import { useEffect } from 'react'
import {
  admitAccount,
  finishLink,
  goElsewhere,
  isBackFromElsewhere,
  listAccounts,
  listEveryAccount,
  refuseAccount,
  unlinkAccount,
} from '../../../api/elsewhere.ts'
import { useLoad } from '../../../api/use-load.ts'
import { exactTime } from '../../../lib/format.ts'
import { Visible } from '../../../ui/boxed.tsx'
import { Mark } from '../../../ui/mark.tsx'
import { FormProblem } from '../form-problem.tsx'
import { TwoStep } from './two-step.tsx'
import { useAttempt } from './use-attempt.ts'

const watched = ['connect', 'people']
const nameOf = ({ name, email, subject }: ForeignAccount) => name ?? email ?? subject

/** The accounts of another service with which this person signs in. Renders nothing if no such service is configured. */
export function YourAccounts({ isResting }: { isResting: boolean }) {
  const { data, problem: unread, again } = useLoad('accounts', listAccounts, watched)
  const { problem, isBusy, attempt } = useAttempt()
  const act = (work: () => Promise<unknown>) => void attempt(work).then(again)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the browser comes back once
  useEffect(() => {
    if (isBackFromElsewhere()) act(finishLink)
  }, [])
  if (data === undefined) return <FormProblem text={unread?.message} />
  const { items, service, problem: away } = data
  if (service === undefined && items.length === 0) return null
  return (
    <>
      <h3>{service === undefined ? 'Sign in elsewhere' : <Visible text={service} />}</h3>
      <p>An account of another service signs you in. It stands for no password and signs no card.</p>
      {items.length > 0 && (
        <ul className="fact-list" aria-label="Linked accounts">
          {items.map((account) => (
            <Account key={account.id} account={account}>
              <TwoStep
                act="Unlink"
                object={nameOf(account)}
                isResting={isResting || isBusy}
                onDo={() => act(() => unlinkAccount(account.id))}
              />
            </Account>
          ))}
        </ul>
      )}
      {service !== undefined && (
        <div className="person-acts">
          <button
            type="button"
            className="button"
            disabled={isResting || isBusy || away !== undefined}
            onClick={() => void attempt(() => goElsewhere('link'))}
          >
            Link an account of <Visible text={service} />…
          </button>
          {away !== undefined && (
            <small>
              <Visible text={away} />
            </small>
          )}
        </div>
      )}
      <FormProblem text={problem} />
    </>
  )
}

type Props = { given: readonly string[]; isResting: boolean }

/** For owners: accounts of another service that belong to no person yet and wait to be let in. */
export function WaitingAccounts({ given, isResting }: Props) {
  const { data, problem: unread, again } = useLoad('every account', listEveryAccount, watched)
  const { problem, isBusy, attempt } = useAttempt()
  const waiting = data?.items.filter(({ person }) => person === undefined) ?? []
  if (waiting.length === 0) return <FormProblem text={problem ?? unread?.message} />
  const isHeld = isResting || isBusy
  return (
    <>
      <h3>Wait to be let in</h3>
      <p>They signed in with another service and are nobody here. Each becomes a new person without a password.</p>
      <ul className="fact-list" aria-label="Accounts that wait">
        {waiting.map((account) => (
          <Account key={account.id} account={account}>
            <form
              className="form-row"
              aria-label={`Let ${nameOf(account)} in`}
              onSubmit={(event) => {
                event.preventDefault()
                const form = new FormData(event.currentTarget)
                const person = { name: String(form.get('name')).trim(), role: String(form.get('role')) }
                void attempt(() => admitAccount(account.id, person)).then(again)
              }}
            >
              <label>
                Name here
                <input
                  className="field"
                  name="name"
                  required
                  maxLength={40}
                  pattern="[A-Za-z0-9._\-]+"
                  title="Letters, digits, dots, underscores or dashes"
                  autoComplete="off"
                  spellCheck={false}
                />
              </label>
              <label>
                Role
                <select className="field" name="role" defaultValue="viewer">
                  {given.map((one) => (
                    <option key={one}>{one}</option>
                  ))}
                </select>
              </label>
              <button type="submit" className="button" disabled={isHeld}>
                Let in
              </button>
              <TwoStep
                act="Refuse"
                object={nameOf(account)}
                isResting={isHeld}
                onDo={() => void attempt(() => refuseAccount(account.id)).then(again)}
              />
            </form>
          </Account>
        ))}
      </ul>
      <FormProblem text={problem} />
    </>
  )
}

function Account({ account, children }: { account: ForeignAccount; children: React.ReactNode }) {
  const { issuer, subject, email, lastSeenAt } = account
  return (
    <li>
      <Mark kind="stopped" size={11} />
      <span>
        <Visible text={nameOf(account)} />
        {email !== undefined && (
          <small>
            <Visible text={email} />
          </small>
        )}
      </span>
      <span className="text-soft">
        <Visible text={subject} /> at <Visible text={issuer} />
        <small>seen {exactTime(lastSeenAt)}</small>
      </span>
      {children}
    </li>
  )
}
