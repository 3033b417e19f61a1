import { JarvisError } from 'protocol'
import type { Clock } from '../../lib/clock.ts'
import type { Incoming } from '../channel.ts'
import type { Notes, Transactions } from '../parts.ts'
import type { Say, Spoken } from '../spoken.ts'
import type { Arrival } from './arrival.ts'
import { hashOfChoice, isOpen } from './choices.ts'
import type { CurrentSession, Talker } from './current-session.ts'
import type { ChoiceStore, Deed, HeardStore, StoredChoice, TalkPorts } from './ports.ts'
import type { TalkOutbox } from './talk-outbox.ts'

type Tap = Extract<Incoming, { kind: 'tap' }>

export type DeedsParts = {
  talk: Pick<TalkPorts, 'answer'>
  choices: Pick<ChoiceStore, 'get' | 'use' | 'bind'>
  heard: Pick<HeardStore, 'get' | 'end'>
  session: Pick<CurrentSession, 'send' | 'open'>
  outbox: Pick<TalkOutbox, 'revise'>
  clock: Pick<Clock, 'now'>
  say: Say
  database: Pick<Transactions, 'atomically'>
  notes: Pick<Notes, 'record'>
  /** Sends the messages that are due. */
  look(): void
}

const used = (why: string) => new JarvisError('already_decided', why)

/** Carries out the actions of a conversation's buttons. */
export class Deeds {
  readonly #parts: DeedsParts
  readonly #over: Spoken

  constructor(parts: DeedsParts) {
    this.#parts = parts
    this.#over = parts.say('This is not open any more.')
  }

  /** Carries out the action of a pressed button, once. @returns the answer to the person */
  choose(tap: Arrival<Tap>): Spoken {
    const { choices, say, database, notes, look, clock } = this.#parts
    const { to, kind, incoming, advance } = tap
    const choice = choices.get(hashOfChoice(incoming.token))
    if (!to.talks || !isOpen(choice, { recipient: to.id, ref: incoming.ref, now: clock.now() })) {
      const because = 'its button is not open'
      database.atomically(() => {
        advance()
        notes.record({ change: 'tap_refused', channel: kind.id, recipient: to.id, person: to.person, because })
      })
      return this.#over
    }
    try {
      const answer = this.#do(choice, tap)
      look()
      return answer
    } catch (error) {
      if (!(error instanceof JarvisError) || error.code === 'shutting_down') throw error
      database.atomically(advance)
      return error.code === 'already_decided' || error.code === 'expired' ? this.#over : say(error.message, 200)
    }
  }

  #do({ deed, thread, item, hash }: StoredChoice, { to, kind, incoming, advance }: Arrival<Tap>): Spoken {
    const { talk, choices, session, say, clock } = this.#parts
    const by = to.person
    /** Marks the button as used, within the transaction of its action. */
    const remember = () => {
      if (!choices.use(hash, clock.now())) throw used('Its button was used before.')
      if (incoming.ref !== undefined) choices.bind(item, incoming.ref)
      advance()
    }
    switch (deed.does) {
      case 'answer':
        talk.answer({ questionId: deed.questionId, by, answers: [{ chosen: [deed.option] }], remember })
        return say('Taken.')
      case 'decline':
        talk.answer({ questionId: deed.questionId, by, declined: true, remember })
        return say('Taken.')
      case 'open':
        session.open({ thread, sessionId: deed.sessionId }, { to, kind, remember })
        return say('What you write goes there now.')
      case 'send':
      case 'discard':
        this.#endNote(deed, thread, { to, kind, remember })
        return say(deed.does === 'send' ? 'Sent.' : 'Discarded.')
      default:
        return deed satisfies never
    }
  }

  /** Sends or discards the text of a voice note. */
  #endNote({ does, heard: id }: Extract<Deed, { does: 'send' | 'discard' }>, thread: string, talker: Talker): void {
    const { heard, session, outbox, database } = this.#parts
    const note = heard.get(id)
    if (note?.text === undefined || note.end !== undefined) throw used('It is over.')
    const key = `heard:${note.id}`
    const remember = () => {
      talker.remember()
      if (!heard.end(note.id, does === 'send' ? 'sent' : 'discarded')) throw used('It is over.')
      outbox.revise(talker.to, key, { what: 'heard', id: note.id, thread })
    }
    if (does === 'discard') database.atomically(remember)
    else session.send({ thread, text: note.text, requestId: key, attachments: [] }, { ...talker, remember })
  }
}
