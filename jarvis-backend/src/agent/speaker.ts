import { firstOwnerId, personOf } from 'protocol'
import { asData } from './context/as-data.ts'
import type { Draft, StoredEntry, TranscriptStore } from './sessions/transcript-store.ts'
import { callIdOf } from './settles.ts'

/** How many runs are searched for an earlier message: child runs, jobs and clients' calls lie between messages. */
const runsBack = 20

/** The entries that hold a person's words. */
const wordTypes = ['user', 'question_resolved', 'confirm_resolved'] as const satisfies readonly StoredEntry['type'][]

/**
 * The name of the person who writes a message, answers a question or decides a card, in a conversation of several people; undefined if only its owner
 * writes in it. Once one message has a name, all later ones get one: a message without a name would count as the last named person's.
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

/** The block in front of a message that names its writer. The message itself must not hold the mark of such a block. */
export const speakerWords = (speaker: string): string =>
  asData('speaker', `${speaker} writes this message. Several people write in this conversation.`)

/**
 * The person who answered or decided, for entries that a model is told of: an answer to its own question, an answer that was declined, a denial, and
 * an approval with a note. Undefined for all other entries.
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
 * Sentences about who answered or denied each call, by id of the call. The model is given them behind the calls' results, where no result can imitate
 * them. Empty if nobody is named.
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

/** The block about the people who ended calls. @param did sentences of `endersIn` */
export const endedWords = (did: readonly string[]): string =>
  did.length === 0 ? '' : asData('speaker', `${did.join(' ')} Several people write in this conversation.`)

/** A text without the block that names its writer. */
export const withoutSpeaker = (text: string): string => text.replace(/<speaker>\n[^\n]*\n<\/speaker>\s*/g, '')
