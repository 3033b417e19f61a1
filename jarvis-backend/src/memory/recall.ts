import { type Evidence, queryWords, wordsOf } from 'hybrid-index'
import type { MemoryHit, Recalled } from 'protocol'
import { ownHeading } from './daily.ts'
import type { Found } from './indexer.ts'
import type { SourceKind } from './ports.ts'
import type { Memory } from './remote.ts'
import { smallTalk } from './small-talk.ts'

/** Limits of recalled text: characters (about 4 per token), and number of passages. `waitMs`: how long an answer waits for the memory. */
const budgetChars = 700 * 4
const waitMs = 300
const most = { passages: 5, conversations: 2 } as const
/** Least number of words of a message that say something about its subject. */
const fewestWords = 2

/**
 * Least relevance of a recalled note that shares several words with the message, or fewer. Chosen on the quality set of `bench/memory`, with messages that no note
 * answers: of 146 questions, the answer is recalled for 107 (113 from full chunks), with two passages a question, and 2 of 33 such messages recall something.
 */
const leastRelevance = { several: 0.6, fewer: 0.75 } as const
/** Weight of closeness in meaning beside the share of the message's words. */
const closenessWeight = 1.5
/**
 * Shares, 0..1, for a recalled part of a conversation: least of the message's words in it; least of its own words that the message has, because a long part has many
 * words by chance; and most similarity of the questions, because a question that is asked again wants a new answer.
 */
const ofConversations = { coverage: 0.75, own: 0.1, alike: 0.6 } as const

/** Least share of a short note's own words that a message has, 0..1: the message may speak of other things too. */
const leastOfNote = 0.6

/** The share of a text's own words that these are, 0..1. */
const shareOf = (text: string, words: readonly string[]) => words.length / Math.max(1, new Set(tellingWords(text)).size)

/**
 * True if one of several sentences shares enough of its words with a note: "The films stutter again. Look which guest it is." asks about films that stutter. A
 * message of one sentence is judged as a whole.
 */
function isOfSentence(message: string, words: readonly string[]): boolean {
  const sentences = message.split(/[.!?\n](?:\s|$)/).map((sentence) => new Set(tellingWords(sentence)))
  const telling = sentences.filter(({ size }) => size > 0)
  return (
    telling.length > 1 &&
    telling.some((own) => {
      const shared = words.filter((word) => own.has(word)).length
      return shared >= fewestWords && shared / own.size >= leastRelevance.several
    })
  )
}

const isRelevant = ({ words, coverage, closeness }: Evidence, text: string, message: string) =>
  coverage + closenessWeight * closeness >= leastRelevance[words.length >= fewestWords ? 'several' : 'fewer'] ||
  (words.length >= fewestWords && shareOf(text, words) >= leastOfNote) ||
  isOfSentence(message, words)

/**
 * Tests if a text holds the heartbeat's results. They are not recalled, because they repeat themselves and would crowd out notes. A search finds
 * them.
 */
const isBeat = (name: string) => /(?:^|\/)HEARTBEAT_RESULTS\.md$/i.test(name)

/** `problem`: why the notes were not searched, or not all of them, for a person. */
export type Recall = { items: Recalled[]; problem?: string }
/** `kinds`: the kinds of texts that may be recalled. `mayRecall`: tells if a conversation may be. */
export type Places = { kinds: readonly SourceKind[]; mayRecall(sessionId: string): boolean }

/** Removes greetings and orders from the words of a message. */
const tellingWords = (message: string) => queryWords(message).filter((word) => !smallTalk.has(word))

/**
 * Recalls passages that fit a message, best first, about 700 tokens at most: notes, and parts of conversations that say what the message asks. The journal and the
 * heartbeat's results are not recalled. A message with fewer than two words about a subject recalls nothing. Waits at most 300 ms.
 * @param isBehind returns true if notes are not indexed yet while the index's thread has not started
 */
export function createRecall(memory: Memory, isBehind: (kinds: readonly SourceKind[]) => boolean = () => false) {
  return async (message: string, { kinds, mayRecall }: Places): Promise<Recall> => {
    const wanted = kinds.filter((kind) => kind !== 'journal')
    if (tellingWords(message).length < fewestWords) return { items: [] }
    const late = isBehind(wanted)
    if (!memory.kinds().some((kind) => wanted.some((other) => other === kind)))
      return { items: [], ...(late && { problem: stillRead }) }
    const found = await inTime(memory, { query: message.slice(0, 500), limit: 20, kinds: wanted, isRecall: true })
    if (typeof found === 'string') {
      return { items: [], problem: `Your notes were not searched for this answer. ${found.replace(/\.?$/, '.')}` }
    }
    const fits = (hit: MemoryHit, evidence: Evidence) =>
      hit.kind === 'session'
        ? mayRecall(hit.name) && !hit.isFromTools && isNewsFrom(hit, evidence, message)
        : !isBeat(hit.name) && isRelevant(evidence, hit.text, message)
    const items = chosen(
      found.hits.flatMap(({ evidence, ...hit }) =>
        evidence !== undefined && fits(hit, evidence) ? [{ hit, evidence }] : [],
      ),
      message,
    )
    return { items, ...((late || found.isBehind === true) && { problem: stillRead }) }
  }
}

const stillRead = 'Your notes are still being indexed, so the newest of them may be missing from this answer.'

async function inTime(memory: Memory, input: Parameters<typeof memory.call<'search'>>[1]): Promise<Found | string> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(resolve, waitMs, `The memory did not answer within ${waitMs / 1_000} s`)
  })
  const found = await Promise.race([memory.call('search', input).catch((error: Error) => error.message), late])
  clearTimeout(timer)
  return found
}

/** True if a part of a conversation says what the message asks, and is not only the same question. */
function isNewsFrom({ text }: MemoryHit, { words, coverage }: Evidence, message: string): boolean {
  if (words.length < fewestWords || coverage < ofConversations.coverage || shareOf(text, words) < ofConversations.own)
    return false
  const [, question = ''] = /^Operator: (.*)/.exec(text) ?? []
  const [one, other] = [new Set(tellingWords(message)), new Set(tellingWords(question))]
  const shared = [...one].filter((word) => other.has(word)).length
  return shared / Math.max(1, new Set([...one, ...other]).size) < ofConversations.alike
}

function chosen(fitting: readonly { hit: MemoryHit; evidence: Evidence }[], message: string): Recalled[] {
  const recalled: Recalled[] = []
  let left = budgetChars
  let conversations = 0
  for (const { hit, evidence } of fitting) {
    const { kind, name, title, firstLine, lastLine, changedAt, isFromTools, text, heading } = hit
    const isTalk = kind === 'session'
    if (text.length > left || (isTalk && conversations === most.conversations)) continue
    left -= text.length
    if (isTalk) conversations += 1
    const isOwnNote = isFromTools && `## ${heading.split(' > ').at(-1)}` === ownHeading
    recalled.push({
      kind,
      name,
      title,
      firstLine,
      lastLine,
      changedAt,
      // A model's answers may repeat what strangers wrote.
      isFromTools: isFromTools || isTalk,
      text,
      why: whyOf(evidence, message),
      ...(isOwnNote && { isOwnNote }),
    })
    if (recalled.length === most.passages) break
  }
  return recalled
}

/** Says why a passage was recalled: the words that it shares with the message, as they stand there, or its meaning. */
function whyOf({ words, coverage, closeness }: Evidence, message: string): string {
  if (words.length === 0 || closeness * closenessWeight > coverage) return 'close in meaning'
  const wanted = new Set(words)
  const shown = (message.match(/[\p{L}\p{N}._:/@-]+/gu) ?? []).filter((word) =>
    wordsOf(word).some((each) => wanted.delete(each)),
  )
  return `because of ${shown.slice(0, 6).join(', ')}`
}
