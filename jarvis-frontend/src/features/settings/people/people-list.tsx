import type { RoleInfo } from 'protocol'
import type { KnownPerson } from '../../../api/people.ts'
import { ago } from '../../../lib/format.ts'
import { Visible } from '../../../ui/boxed.tsx'
import { Link } from '../../../ui/link.tsx'
import { useNow } from '../../../ui/use-now.ts'
import { Initial } from './initial.tsx'
import { roleSentence } from './words.ts'

/** Element id of a person's row. The row gets the focus when the person's details close. */
export const rowOf = (id: string) => `person-${id}`

/** All people who may sign in, one row each. */
export function PeopleList({
  people,
  roles,
  own,
  open,
  linkTo,
}: {
  people: readonly KnownPerson[]
  roles: readonly RoleInfo[] | undefined
  /** Id of the signed-in person. */
  own: string
  open: string | undefined
  /** Undefined if the rows do not open. */
  linkTo: ((id: string) => string) | undefined
}) {
  return (
    <ul className="people" aria-label="People">
      <li className="people-columns" aria-hidden="true">
        <span>Person</span>
        <span>Role</span>
        <span>May</span>
        <span>Seen</span>
      </li>
      {people.map((person) => (
        <li key={person.id}>
          <Row
            person={person}
            sentence={roleSentence(person.role, roles)}
            isOwn={person.id === own}
            isOpen={person.id === open}
            to={linkTo?.(person.id)}
          />
        </li>
      ))}
    </ul>
  )
}

function Row({
  person: { id, name, role, disabledAt, lastSeenAt },
  sentence,
  isOwn,
  isOpen,
  to,
}: {
  person: KnownPerson
  sentence: string
  isOwn: boolean
  isOpen: boolean
  to: string | undefined
}) {
  const now = useNow(60_000)
  const may = disabledAt === undefined ? sentence : 'Cannot sign in.'
  const columns = (
    <>
      <span className="person-name">
        <Initial name={name} />
        <b>
          <Visible text={name} />
        </b>
        {isOwn && <span className="job-tag">you</span>}
        {disabledAt !== undefined && <span className="job-tag">disabled</span>}
      </span>
      <span className="text-soft cut">
        <Visible text={role} />
      </span>
      <span className="person-may">
        <Visible text={may} />
      </span>
      <span className="num text-soft">{lastSeenAt !== undefined && ago(lastSeenAt, now)}</span>
    </>
  )
  if (to === undefined) return <div className="person-row">{columns}</div>
  return (
    <Link id={rowOf(id)} to={to} className="person-row" aria-current={isOpen ? 'true' : undefined}>
      {columns}
    </Link>
  )
}
