import type { Fact } from 'protocol'
import { type FactMaker, oneLine } from './fact-maker.ts'

const longestOrder = 600
const longestSaid = 240
/** The newest messages that are kept word for word, besides orders. */
const mostSaid = 30
const mostOrders = 60

/** Matches a message with a standing order. A false match costs little. */
const lasting =
  /\b(?:never|always|from now on|until|unless|only if|(?:do not|don['’]t|must not|mustn['’]t|should not|not (?:during|before|after|while|today|tonight))|leave \S+ alone|hands off|remember|prefer|no longer|nie|niemals|immer|nicht|ab jetzt|bis)\b/i

/** The operator's words: standing orders, and the newest other messages. Lines that begin with `/` are commands and left out. */
export const wordFacts: FactMaker = {
  kinds: ['order', 'said'],
  make(before, entries) {
    const facts: Fact[] = [...before]
    for (const entry of entries) {
      if (entry.type !== 'user' || entry.job?.isForeign || entry.text.startsWith('/') || entry.text.trim() === '')
        continue
      const isOrder = lasting.test(entry.text)
      const who = entry.speaker === undefined ? '' : `${entry.speaker}: `
      const of = `${who}“${oneLine(entry.text, isOrder ? longestOrder : longestSaid)}”`
      facts.push({ kind: isOrder ? 'order' : 'said', of, text: '', at: entry.at })
    }
    const newest = (kind: string, most: number) => facts.filter((fact) => fact.kind === kind).slice(-most)
    return [...newest('order', mostOrders), ...newest('said', mostSaid)]
  },
}

/** The notes of operators with approvals. A note with a denial belongs to the fact of the denial. */
export const noteFacts: FactMaker = {
  kinds: ['decision'],
  make: (before, entries) => [
    ...before,
    ...entries.flatMap((entry): Fact[] =>
      entry.type === 'confirm_resolved' && entry.decision === 'approved' && entry.note !== undefined
        ? [
            {
              kind: 'decision',
              id: entry.callId ?? entry.toolUseId,
              of: `approved by ${entry.speaker ?? entry.by}`,
              text: `“${oneLine(entry.note, longestSaid)}”`,
              at: entry.at,
            },
          ]
        : [],
    ),
  ],
}
