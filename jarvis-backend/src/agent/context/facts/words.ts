import type { Fact } from 'protocol'
import { type FactMaker, oneLine } from './fact-maker.ts'

const longestOrder = 600
const longestSaid = 240
/** `mostSaid`: maximum messages that are kept word for word, the newest. `mostOrders`: maximum standing orders. */
const mostSaid = 30
const mostOrders = 60

/** Matches a message that contains a standing order. A wrong match does little harm: the message is only kept longer. */
const lasting =
  /\b(?:never|always|from now on|until|unless|only if|(?:do not|don['’]t|must not|mustn['’]t|should not|not (?:during|before|after|while|today|tonight))|leave \S+ alone|hands off|remember|prefer|no longer|nie|niemals|immer|nicht|ab jetzt|bis)\b/i

/**
 * Makes facts of the operator’s words: standing orders, and the newest other messages. Messages that begin with `/` are commands and are left out.
 */
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

/** Makes facts of operators’ notes on approvals. A note on a denial is part of the fact about the denial. */
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
