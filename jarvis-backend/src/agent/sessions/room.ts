import { firstOwnerId, isPersonId, type PersonRef, personOf } from 'protocol'
import { shownTo } from '../../auth/closed-words.ts'
import { createSessionReach, type SessionReach } from '../../auth/reach.ts'
import { isAtLeast } from '../../auth/roles.ts'
import type { ComposedPeople } from '../../auth/room.ts'
import type { Foundation } from '../../foundation.ts'
import { defineRoom, type JarvisFacts } from '../../house.ts'
import { SqliteShareStore } from '../../store/sqlite/sessions/shares.ts'
import { SqliteTranscriptStore } from '../../store/sqlite/sessions/transcript.ts'
import { Watchers } from '../watchers.ts'
import type { Draft } from './entries.ts'
import { LiveSessions } from './live-sessions.ts'
import { Shares } from './shares.ts'
import type { TranscriptStore } from './transcript-store.ts'
import { wireEntry } from './wire-entry.ts'

/** The parts of the sessions that runs need. */
export type ComposedSessions = {
  transcripts: TranscriptStore
  live: LiveSessions
  watchers: Watchers
  shares: Shares
  /** Returns the name of the person with this id; the given text itself if no person has it. */
  nameOf(id: string): string
  reach: SessionReach
  /** Appends an entry to a run's transcript, within the caller's transaction. */
  note(sessionId: string, runId: string, entry: Draft): void
}

/** The room of sessions: their transcripts, their watchers, and the people with whom they are shared. Publishes the fact `notice.due`. */
export const sessionsRoom = defineRoom({
  name: 'sessions',
  open(needs: {
    foundation: Foundation
    facts: JarvisFacts
    people: Pick<ComposedPeople, 'known' | 'people' | 'lookAt'>
  }) {
    const { people } = needs
    const { clock, database, journal, redactor, held, report, activity, now } = needs.foundation
    const notice = needs.facts.teller('notice.due')
    const transcripts = new SqliteTranscriptStore(database, held)
    const watchers = new Watchers(report)
    const live = new LiveSessions({
      store: transcripts,
      publish: (...of) => watchers.publish(...of),
      clock,
      report,
      afterCommit: database.afterCommit,
      toWire: (entry) => wireEntry(entry, redactor),
    })
    const nameOf = (id: string) =>
      isPersonId(id) ? (people.people.names().find((person) => person.id === id)?.name ?? id) : id
    const shares = new Shares({
      store: new SqliteShareStore(database),
      session: (id) => transcripts.session(id),
      people: { find: people.known.find, nameOf: (id) => nameOf(personOf(id)) },
      durably: database.durably,
      record: (change) => void journal.append('session', change),
      tell(person, sessionId, text) {
        activity.tellPerson(person, { at: now(), kind: 'session', level: 'info', text, sessionId })
        notice({
          person,
          notice: {
            kind: 'share',
            level: 'info',
            title: 'A conversation was shared with you',
            body: text,
            hidden: 'It opens in the dashboard.',
            // The time makes the tag unique, so that a second share sends a second message.
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
    const reach = createSessionReach(
      (id) => transcripts.session(id),
      (...of) => shares.mayOf(...of),
    )
    return {
      transcripts,
      watchers,
      live,
      shares,
      nameOf,
      reach,
      /** Limits an object to the texts that a person may read. */
      shown: (person: PersonRef | undefined) => shownTo(person, reach),
      /** Appends an entry to a run's transcript, within the caller's transaction. */
      note(sessionId: string, runId: string, entry: Draft) {
        const session = live.open(sessionId)
        session.append(session.runs.get(runId) ?? { row: { id: runId }, entries: [] }, entry)
        live.leave(session)
      },
    }
  },
})
