import { firstOwnerId, personOf } from 'protocol'
import { asData } from './context/as-data.ts'
import type { Draft, StoredEntry, TranscriptStore } from './sessions/transcript-store.ts'
import { callIdOf } from './settles.ts'

/** How many runs are looked at for an earlier message: child runs, jobs and clients' calls stand between. */
const runsBack = 20

/** The entries that a person's words come in. */
const wordTypes = ['user', 'question_resolved', 'confirm_resolved'] as const satisfies readonly StoredEntry['type'][]

/**
 * The name of whoever writes a message, answers a question or decides a card, where several people write in the conversation; undefined
 * where it is its owner's alone. Once somebody was named, everybody is: a message without a name would count as the last one's who was.
 */
export function speakerOf(
  parts: {
    store: Pick<TranscriptStore, 'session' | 'newestRuns'>
    isShared(sessionId: string): boolean
    nameOf(person: string): string
  },
  sessionId: string,
  by: string,
): string | undefined {
  const person = personOf(by)
  const owner = parts.store.session(sessionId)?.person ?? firstOwnerId
  const wasNamed = () =>
    parts.store.newestRuns(sessionId, runsBack, wordTypes).some(({ speaker }) => speaker !== undefined)
  const isOfSeveral = person !== owner || parts.isShared(sessionId) || wasNamed()
  return isOfSeveral ? parts.nameOf(person) : undefined
}

/** What stands in front of a message. The message must not hold the mark of such a block. */
export const speakerWords = (speaker: string): string =>
  asData('speaker', `${speaker} writes this message. Several people write in this conversation.`)

/**
 * Who answered or decided, where a model is told of that: an answer to its own question, an answer that was declined, a denial, and an
 * approval with a note. Undefined: nobody, or no model is told.
 */
export function toldBy(entry: Draft): string | undefined {
  if (entry.type === 'question_resolved') {
    const isPersons = entry.end === 'answered' || entry.end === 'declined'
    return isPersons && entry.server === undefined ? entry.by : undefined
  }
  if (entry.type !== 'confirm_resolved') return undefined
  const isTold = entry.decision === 'denied' || (entry.decision === 'approved' && entry.note !== undefined)
  return isTold ? entry.by : undefined
}

/**
 * Who answered or denied each call, as a model is told behind the call's result: no result can stand there. By id of the call; empty where
 * nobody is named.
 */
export function endersIn(entries: readonly StoredEntry[]): ReadonlyMap<string, string> {
  const enders = new Map<string, string>()
  for (const entry of entries) {
    const { speaker } = entry
    if (speaker === undefined) continue
    if (entry.type === 'question_resolved') {
      const did = entry.end === 'declined' ? 'declined to answer' : 'answered'
      enders.set(entry.toolUseId, `${speaker} ${did} the question of call ${entry.toolUseId}.`)
    } else if (entry.type === 'confirm_resolved' && entry.decision === 'denied') {
      const callId = callIdOf(entry)
      const and = entry.note === undefined ? '' : ' and wrote its note'
      enders.set(callId, `${speaker} denied call ${callId}${and}.`)
    }
  }
  return enders
}

/** What is said of those who ended calls. @param did a line each, of `endersIn` */
export const endedWords = (did: readonly string[]): string =>
  did.length === 0 ? '' : asData('speaker', `${did.join(' ')} Several people write in this conversation.`)

/** What was said, without the writer's name. */
export const withoutSpeaker = (text: string): string => text.replace(/<speaker>\n[^\n]*\n<\/speaker>\s*/g, '')
