import { firstOwnerId, personOf } from 'protocol'
import { callIdOf } from 'protocol/settles'
import { asData } from './context/as-data.ts'
import type { Draft, StoredEntry, TranscriptStore } from './sessions/transcript-store.ts'

/** Number of newest runs in which an earlier message is searched. Child runs, jobs and clients’ calls may lie between two messages. */
const runsBack = 20

/** The entries that hold a person's words. */
const wordTypes = ['user', 'question_resolved', 'confirm_resolved'] as const satisfies readonly StoredEntry['type'][]

/**
 * Returns the name of the person who writes a message, answers a question or decides a card, if several people write in the conversation; undefined
 * if only its owner does. Once one message has a name, all later messages get one, because a message without a name would seem to come from the last
 * named person.
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

/** Returns the block before a message that names its writer. The caller must remove marks of such a block from the message itself. */
export const speakerWords = (speaker: string): string =>
  asData('speaker', `${speaker} writes this message. Several people write in this conversation.`)

/**
 * Returns the person who answered or decided, for entries that the model is told about: an answer to the model’s question, a declined question, a
 * denial, and an approval with a note. Undefined for all other entries.
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
 * Returns sentences that say who answered or denied each call, by the call’s id. The model gets them after the calls’ results, so that no result can
 * imitate them. Empty if no person is named.
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

/** Returns the block that says who answered or denied calls. @param did sentences from `endersIn` */
export const endedWords = (did: readonly string[]): string =>
  did.length === 0 ? '' : asData('speaker', `${did.join(' ')} Several people write in this conversation.`)

/** Removes the block that names a text’s writer. */
export const withoutSpeaker = (text: string): string => text.replace(/<speaker>\n[^\n]*\n<\/speaker>\s*/g, '')
