import { firstOwnerId, personOf } from '../protocol/index.ts'
import { asData } from './context/as-data.ts'
import type { TranscriptStore } from './sessions/transcript-store.ts'

/** How many runs are looked at for an earlier message: child runs, jobs and clients' calls stand between. */
const runsBack = 20

/**
 * The name of whoever writes a message, where several people write in the conversation; undefined where it is its owner's alone.
 * Once somebody was named, everybody is: a message without a name would count as the last one's who was.
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
  const wasNamed = () => {
    const newest = parts.store.newestRuns(sessionId, runsBack, ['user']).findLast(({ type }) => type === 'user')
    return newest?.type === 'user' && newest.speaker !== undefined
  }
  const isOfSeveral = person !== owner || parts.isShared(sessionId) || wasNamed()
  return isOfSeveral ? parts.nameOf(person) : undefined
}

/** What stands in front of a message. The message must not hold the mark of such a block. */
export const speakerWords = (speaker: string): string =>
  asData('speaker', `${speaker} writes this message. Several people write in this conversation.`)

/** What was said, without the writer's name. */
export const withoutSpeaker = (text: string): string => text.replace(/<speaker>\n[^\n]*\n<\/speaker>\s*/g, '')
