import type { RoleInfo } from 'protocol'
import { useState } from 'react'
import { changePerson, type KnownPerson, readSignInsOf, removePerson, signOutPerson } from '../../../api/people.ts'
import { removeSecondFactorOf } from '../../../api/second-factor.ts'
import { useLoad } from '../../../api/use-load.ts'
import { plural } from '../../../lib/format.ts'
import { Visible } from '../../../ui/boxed.tsx'
import { PanelHead } from '../../../ui/panel-head.tsx'
import { FormProblem } from '../form-problem.tsx'
import { Initial } from './initial.tsx'
import { PersonPasskeys, PersonSshKeys } from './person-keys.tsx'
import { SignIns } from './sign-ins.tsx'
import { TwoStep } from './two-step.tsx'
import { useAttempt } from './use-attempt.ts'
import { lastOwnerWords, roleSentence } from './words.ts'

type Props = {
  person: KnownPerson
  people: readonly KnownPerson[]
  /** Roles that this person may give. */
  given: readonly string[]
  roles: readonly RoleInfo[] | undefined
  isOwn: boolean
  isResting: boolean
  onChanged: () => void
  /** Gets the focus when the person's details open. */
  heading: React.Ref<HTMLHeadingElement>
  /** The button beside Edit that closes the part. */
  close?: React.ReactNode
  /** A form that shows the gate's verdict on a call of this person. */
  children: React.ReactNode
  /** The person's newest journal entries. */
  lately: React.ReactNode
}

/** The details of one person, for owners: what the role allows, the person's sign-ins, and all actions on the person. */
export function PersonPart(props: Props) {
  const { person, people, given, roles, isOwn, isResting, onChanged, heading, close, children, lately } = props
  const { id, name, role, disabledAt } = person
  const [isEditing, setEditing] = useState(false)
  const { problem, isBusy, attempt } = useAttempt()
  const held = lastOwnerWords(person, people)
  const act = (work: () => Promise<unknown>) => void attempt(work).then((isDone) => isDone && onChanged())
  const scopes = roles?.find((one) => one.name === role)?.scopes ?? []
  const isHeld = isResting || isBusy
  return (
    <>
      <header className="person-head">
        <Initial name={name} />
        <div>
          <h3 ref={heading} tabIndex={-1}>
            <Visible text={name} />
          </h3>
          <span className="job-tag">
            <Visible text={role} />
          </span>
          {disabledAt !== undefined && <span className="job-tag">disabled</span>}
        </div>
        <button
          type="button"
          className="button small"
          aria-label={`Edit ${name}`}
          aria-expanded={isEditing}
          onClick={() => setEditing(!isEditing)}
        >
          Edit
        </button>
        {close}
      </header>
      <p className="role-sentence">
        <Visible text={disabledAt === undefined ? roleSentence(role, roles) : 'Cannot sign in.'} />
      </p>
      {isEditing && (
        <NameAndRole
          key={`${name} ${role}`}
          person={person}
          given={given}
          held={held}
          isResting={isHeld}
          onSave={(change) => act(() => changePerson(id, change))}
        />
      )}
      {scopes.length > 0 && (
        <>
          <PanelHead as="h4" title="Scope, as it is checked" />
          <pre className="scope">{scopes.join('\n')}</pre>
        </>
      )}
      {children}
      <PanelHead as="h4" title="Signed in" />
      <PersonSignIns id={id} />
      {!isOwn && (
        <>
          <PanelHead as="h4" title="Passkeys" />
          <PersonPasskeys key={id} id={id} name={name} isResting={isHeld} />
          <PanelHead as="h4" title="SSH keys" />
          <PersonSshKeys key={id} id={id} name={name} isResting={isHeld} />
        </>
      )}
      {lately}
      <div className="person-acts">
        {!isOwn && (
          <TwoStep act="Sign out" object={name} isResting={isHeld} onDo={() => act(() => signOutPerson(id))} />
        )}
        {!isOwn && person.secondFactor === true && (
          <TwoStep
            act="Turn off"
            object={`the second factor of ${name}`}
            label="Turn off the second factor"
            isResting={isHeld}
            onDo={() => act(() => removeSecondFactorOf(id))}
          />
        )}
        {disabledAt === undefined ? (
          !isOwn && (
            <TwoStep
              act="Disable"
              object={name}
              held={held}
              isResting={isHeld}
              onDo={() => act(() => changePerson(id, { disabled: true }))}
            />
          )
        ) : (
          <button
            type="button"
            className="button small quiet"
            disabled={isHeld}
            onClick={() => act(() => changePerson(id, { disabled: false }))}
          >
            Let {name} sign in again
          </button>
        )}
        <TwoStep
          act="Remove"
          object={name}
          held={isOwn ? (held ?? 'You cannot remove yourself: another owner can.') : held}
          isResting={isHeld}
          onDo={() => act(() => removePerson(id))}
        />
      </div>
      <FormProblem text={problem} />
    </>
  )
}

function NameAndRole({
  person: { name, role },
  given: known,
  held,
  isResting,
  onSave,
}: {
  person: KnownPerson
  given: readonly string[]
  held: string | undefined
  isResting: boolean
  onSave: (change: { name?: string; role?: string }) => void
}) {
  return (
    <form
      className="form-row"
      aria-label={`Change ${name}`}
      onSubmit={(event) => {
        event.preventDefault()
        const given = new FormData(event.currentTarget)
        const next = { name: String(given.get('name')).trim(), role: String(given.get('role') ?? role) }
        onSave({ ...(next.name !== name && { name: next.name }), ...(next.role !== role && { role: next.role }) })
      }}
    >
      <label>
        Name
        <input className="field" name="name" defaultValue={name} required maxLength={40} autoComplete="off" />
      </label>
      <label>
        Role
        <select className="field" name="role" defaultValue={role} disabled={held !== undefined}>
          {[...new Set([...known, role])].map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
      </label>
      <button type="submit" className="button" disabled={isResting}>
        Save
      </button>
      {held !== undefined && <small className="text-dim">{held}</small>}
    </form>
  )
}

/** A person's sign-ins without IP addresses: only the person sees the addresses. */
function PersonSignIns({ id }: { id: string }) {
  const { data, problem } = useLoad(`sign-ins of ${id}`, () => readSignInsOf(id), ['connect'])
  if (data === undefined) return problem === undefined ? null : <FormProblem text={problem.message} />
  if (data.items.length === 0) return <p className="rest-note">Nowhere.</p>
  return <SignIns items={data.items} isResting label={plural(data.items.length, 'device')} />
}
