import { JarvisError } from 'protocol'
import type { Clock } from '../../lib/clock.ts'
import type { Incoming } from '../channel.ts'
import type { Say, Spoken } from '../spoken.ts'
import type { Arrival } from './arrival.ts'
import { hashOfChoice, isOpen } from './choices.ts'
import type { CurrentSession } from './current-session.ts'
import type { ChoiceStore, Deed, HeardStore, StoredChoice, TalkPorts } from './ports.ts'
import type { TalkOutbox } from './talk-outbox.ts'

type Tap = Extract<Incoming, { kind: 'tap' }>

/** Does what the buttons of conversations say. */
export function createDeeds(parts: {
  house: Pick<TalkPorts, 'answer'>
  choices: Pick<ChoiceStore, 'get' | 'use' | 'bind'>
  heard: Pick<HeardStore, 'get' | 'end'>
  session: Pick<CurrentSession, 'send' | 'open'>
  outbox: Pick<TalkOutbox, 'revise'>
  clock: Clock
  say: Say
  atomically<T>(work: () => T): T
  look(): void
  record(body: Record<string, unknown>): void
}) {
  const { house, choices, heard, session, say, atomically } = parts
  const over = say('This is not open any more.')
  const used = (why: string) => new JarvisError('already_decided', why)

  /** Sends or discards what was heard in a voice note. @param use within its transaction, uses the button up */
  function endNote(
    { does, heard: id }: Extract<Deed, { does: 'send' | 'discard' }>,
    thread: string,
    { to, kind }: Arrival<Tap>,
    use: () => void,
  ): void {
    const note = heard.get(id)
    if (note?.text === undefined || note.end !== undefined) throw used('It is over.')
    const key = `heard:${note.id}`
    const end = () => {
      use()
      if (!heard.end(note.id, does === 'send' ? 'sent' : 'discarded')) throw used('It is over.')
      parts.outbox.revise(to, key, { what: 'heard', id: note.id, thread })
    }
    if (does === 'discard') atomically(end)
    else session.send(to, kind, { thread, text: note.text, requestId: key, attachments: [] }, end)
  }

  function done({ deed, thread, item }: StoredChoice, hash: string, tap: Arrival<Tap>): Spoken {
    const { to, kind, incoming } = tap
    const by = to.person
    const use = () => {
      if (!choices.use(hash, parts.clock.now())) throw used('Its button was used before.')
      if (incoming.ref !== undefined) choices.bind(item, incoming.ref)
      tap.advance()
    }
    switch (deed.does) {
      case 'answer':
        house.answer({ questionId: deed.questionId, by, answers: [{ chosen: [deed.option] }], remember: use })
        return say('Taken.')
      case 'decline':
        house.answer({ questionId: deed.questionId, by, declined: true, remember: use })
        return say('Taken.')
      case 'open':
        session.open(to, kind, { thread, sessionId: deed.sessionId }, use)
        return say('What you write goes there now.')
      case 'send':
      case 'discard':
        endNote(deed, thread, tap, use)
        return say(deed.does === 'send' ? 'Sent.' : 'Discarded.')
      default:
        return deed satisfies never
    }
  }

  return {
    /** Does what a pressed button says, once. @returns what the person is told */
    choose(tap: Arrival<Tap>): Spoken {
      const { to, kind, incoming, advance } = tap
      const hash = hashOfChoice(incoming.token)
      const choice = choices.get(hash)
      if (!to.talks || !isOpen(choice, { recipient: to.id, ref: incoming.ref, now: parts.clock.now() })) {
        const because = 'its button is not open'
        atomically(() => {
          advance()
          parts.record({ change: 'tap_refused', channel: kind.id, recipient: to.id, person: to.person, because })
        })
        return over
      }
      try {
        const answer = done(choice, hash, tap)
        parts.look()
        return answer
      } catch (error) {
        if (!(error instanceof JarvisError) || error.code === 'shutting_down') throw error
        atomically(advance)
        return error.code === 'already_decided' || error.code === 'expired' ? over : say(error.message, 200)
      }
    },
  }
}
