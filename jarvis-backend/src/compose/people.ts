import { createPeople } from '../auth/people.ts'
import { isAtLeast } from '../auth/roles.ts'
import type { KnownPerson, People } from '../calls/people.ts'
import { peopleRoutes } from '../http/people.ts'
import { firstOwnerId, type Person, personOf } from '../protocol/index.ts'
import { createPersonStore, createSignInStore } from '../store/sqlite/access/people.ts'
import type { Foundation } from './foundation.ts'

/** Wires the people who may sign in, and what a change of one of them ends. */
export function composePeople(
  foundation: Pick<Foundation, 'database' | 'journal' | 'now'>,
  parts: { ownRoles(): readonly string[] },
) {
  const { database, journal, now } = foundation
  const signIns = createSignInStore(database)
  const listeners: ((person: string) => void)[] = []
  const people = createPeople({
    store: createPersonStore(database),
    durably: database.durably,
    record: (change) => void journal.append('person', change),
    ownRoles: parts.ownRoles,
    endSignIns: (person) => signIns.endAll(person),
    changed: (person) =>
      database.afterCommit(() => {
        for (const tell of listeners) tell(person)
      }),
    now,
  })
  const known = ({ id, name, role }: Person): KnownPerson => ({ id, name, role })
  const isIn = ({ disabledAt }: Person) => disabledAt === undefined
  return {
    people,
    /** The people as the gate knows them. */
    known: {
      find(id) {
        const person = people.get(id === undefined ? firstOwnerId : personOf(id))
        return person !== undefined && isIn(person) ? known(person) : undefined
      },
      list: () => people.list().filter(isIn).map(known),
    } satisfies People,
    peopleRoutes: peopleRoutes({ people, signIns, ownRoles: parts.ownRoles }),
    signIns,
    /** Whether a person may ask for anything now; undefined: the first owner. */
    mayAsk(id: string | undefined = firstOwnerId): boolean {
      const person = people.get(id)
      return person !== undefined && person.disabledAt === undefined && isAtLeast(person.role, 'member')
    },
    /** Is told of each person who counts for less or differently, after the change. */
    onChange: (tell: (person: string) => void) => void listeners.push(tell),
  }
}
export type ComposedPeople = ReturnType<typeof composePeople>
