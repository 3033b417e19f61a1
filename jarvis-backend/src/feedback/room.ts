import { type Feedback, type FeedbackBody, type FeedbackQuery, JarvisError, personOf } from 'protocol'
import type { FeedbackStore, StoredFeedback } from '../agent/sessions/feedback.ts'
import type { ComposedSessions } from '../agent/sessions/room.ts'
import { reaches } from '../auth/reach.ts'
import type { Identity } from '../auth/tokens.ts'
import type { Foundation } from '../foundation.ts'
import { defineRoom } from '../house.ts'
import { type FeedbackDesk, feedbackRoutes } from '../http/feedback.ts'
import { newId } from '../lib/ids.ts'
import { SqliteFeedbackStore } from '../store/sqlite/feedback.ts'

/** Texts on JARVIS that are kept of one person, so that nobody fills the disk. */
const mostOfPerson = 1_000
const exportedAtOnce = 200

type Needs = {
  foundation: Pick<Foundation, 'database' | 'journal' | 'redactor' | 'now'>
  sessions: Pick<ComposedSessions, 'transcripts' | 'reach' | 'nameOf'>
}

/** The list of people's ratings of answers and texts on JARVIS. It stays in the database: no model reads it, and nothing sends it anywhere. */
export const feedbackRoom = defineRoom({
  name: 'feedback',
  open: (needs: Needs) => ({
    contributes: { routes: feedbackRoutes(new Desk(new SqliteFeedbackStore(needs.foundation.database), needs)) },
  }),
})

class Desk implements FeedbackDesk {
  readonly #store: FeedbackStore
  readonly #needs: Needs

  constructor(store: FeedbackStore, needs: Needs) {
    this.#store = store
    this.#needs = needs
  }

  page({ limit, before, about }: FeedbackQuery, reader: Identity) {
    const [at = '', id = ''] = before?.split('.', 2) ?? []
    const found = this.#store.page({
      limit: limit + 1,
      before: before === undefined ? undefined : { at: Number(at), id },
      person: reaches(reader.person, undefined) ? undefined : reader.person.id,
      about,
    })
    const items = found.slice(0, limit)
    const last = items.at(-1)
    return {
      items: items.map((one) => this.#shown(one, reader)),
      ...(found.length > limit && last !== undefined && { next: `${last.at}.${last.id}` }),
    }
  }

  async *lines(about: FeedbackQuery['about'], reader: Identity): AsyncGenerator<string> {
    let before: string | undefined
    do {
      const { items, next } = this.page({ limit: exportedAtOnce, before, about }, reader) as {
        items: Feedback[]
        next?: string
      }
      for (const item of items) yield `${JSON.stringify(item)}\n`
      before = next
    } while (before !== undefined)
  }

  give({ text, sessionId, seq }: FeedbackBody, giver: Identity): Feedback {
    const { database, journal, redactor, now } = this.#needs.foundation
    const { transcripts, reach } = this.#needs.sessions
    if (sessionId !== undefined) {
      reach.require(giver.person, sessionId, 'look')
      if (transcripts.session(sessionId) === undefined)
        throw new JarvisError('unknown_session', 'There is no such session. It may have been deleted.')
    }
    const person = giver.person.id
    if (this.#store.countOf(person) >= mostOfPerson)
      throw new JarvisError('invalid_request', `You have said ${mostOfPerson} things of JARVIS. Delete some first.`)
    const given = {
      id: newId('fb'),
      at: now(),
      about: 'jarvis' as const,
      person,
      text: redactor.text(text),
      ...(sessionId !== undefined && { sessionId }),
      ...(seq !== undefined && { seq }),
    }
    database.durably(() => {
      this.#store.add(given)
      journal.append('feedback', { change: 'given', id: given.id, by: giver.sub })
    })
    return this.#shown(given, giver)
  }

  remove(id: string, remover: Identity): void {
    const { database, journal } = this.#needs.foundation
    const person = this.#store.personOf(id)
    if (person === undefined || !reaches(remover.person, person))
      throw new JarvisError('not_found', 'There is no such text on JARVIS. A rating is taken back at its answer.')
    database.durably(() => {
      this.#store.remove(id)
      journal.append('feedback', { change: 'deleted', id, of: person, by: remover.sub })
    })
  }

  /** Adds the name of the person, and leaves out a conversation that the reader may not read. */
  #shown({ sessionId, seq, ...stored }: StoredFeedback, reader: Identity): Feedback {
    const { reach, nameOf } = this.#needs.sessions
    const person = personOf(stored.person)
    const isOpen = sessionId !== undefined && reach.reads(reader.person, sessionId)
    const { text } = stored
    return {
      ...stored,
      ...(text !== undefined && { text: this.#needs.foundation.redactor.text(text) }),
      person,
      name: nameOf(person),
      ...(isOpen && { sessionId, ...(seq !== undefined && { seq }) }),
    }
  }
}
