import type { RoleInfo } from 'jarvis-backend/protocol'
import type { KnownPerson } from '../../../api/people.ts'
import { ago } from '../../../lib/format.ts'
import { Visible } from '../../../ui/boxed.tsx'
import { useNow } from '../../../ui/use-now.ts'
import { roleSentence } from './words.ts'

/** Everybody who may sign in, a row each. The open person's part stands below the row. */
export function PeopleList({
  people,
  roles,
  own,
  open,
  onOpen,
  children,
}: {
  people: readonly KnownPerson[]
  roles: readonly RoleInfo[] | undefined
  /** The id of the person who looks. */
  own: string
  open: string | undefined
  /** Absent where rows do not open. */
  onOpen: ((id: string | undefined) => void) | undefined
  /** What stands below the open row. */
  children: React.ReactNode
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
            onOpen={onOpen}
          />
          {person.id === open && <div className="person-open">{children}</div>}
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
  onOpen,
}: {
  person: KnownPerson
  sentence: string
  isOwn: boolean
  isOpen: boolean
  onOpen: ((id: string | undefined) => void) | undefined
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
  if (onOpen === undefined) return <div className="person-row">{columns}</div>
  return (
    <button type="button" className="person-row" aria-expanded={isOpen} onClick={() => onOpen(isOpen ? undefined : id)}>
      {columns}
    </button>
  )
}

const Initial = ({ name }: { name: string }) => (
  <span className="initial" aria-hidden="true">
    {name.slice(0, 1).toUpperCase()}
  </span>
)
