import { createShares } from '../agent/sessions/shares.ts'
import { isAtLeast } from '../auth/roles.ts'
import type { FactTypes } from '../house.ts'
import { firstOwnerId, isPersonId, personOf } from '../protocol/index.ts'
import { createShareStore } from '../store/sqlite/sessions/shares.ts'
import type { Foundation } from './foundation.ts'
import type { ComposedPeople } from './people.ts'

/** Wires the sharing of conversations. @param parts.session a session by id */
export function composeShares(
  { database, journal, activity, now }: Pick<Foundation, 'database' | 'journal' | 'activity' | 'now'>,
  parts: {
    people: Pick<ComposedPeople, 'known' | 'people' | 'lookAt'>
    notice(due: FactTypes['notice.due']): void
    session(id: string): { title: string; person?: string } | undefined
  },
) {
  const { people } = parts
  const nameOf = (id: string) =>
    isPersonId(id) ? (people.people.names().find((person) => person.id === id)?.name ?? id) : id
  const shares = createShares({
    store: createShareStore(database),
    session: parts.session,
    people: { find: people.known.find, nameOf: (id) => nameOf(personOf(id)) },
    durably: database.durably,
    record: (change) => void journal.append('session', change),
    tell(person, sessionId, text) {
      activity.tellPerson(person, { at: now(), kind: 'session', level: 'info', text, sessionId })
      parts.notice({
        person,
        notice: {
          kind: 'share',
          level: 'info',
          title: 'A conversation was shared with you',
          body: text,
          hidden: 'It opens in the dashboard.',
          // A second share is another message.
          tag: `shared-${sessionId}-${now()}`,
          path: `/chat/${sessionId}`,
        },
      })
    },
    changed: (sessionId) =>
      database.afterCommit(() => {
        activity.changed({ what: 'sessions', sessionId })
        people.lookAt(firstOwnerId)
      }),
    mayTalk: (role) => isAtLeast(role, 'member'),
    now,
  })
  return { shares, nameOf }
}

export type ComposedShares = ReturnType<typeof composeShares>
