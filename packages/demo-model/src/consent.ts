import type { Message } from './request.ts'

/** Words that order what was offered. */
const yes =
  "yes|yep|yeah|ja|jo|jawohl|oui|ouais|s[ií]|confirm(?:ed)?|approved?|proceed|go ahead|go on|please do|do (?:it|that|so)|make it so|mach(?:e)?(?: das| es|['’]s)?|tu (?:das|es)|los|vas-y|fais[- ]le|hazlo|adelante"
/** Words that say yes to a question, but only acknowledge a statement. */
const acknowledging =
  "sure|ok|okay|k|fine|alright|all right|right|correct|exactly|gerne|klar|genau|richtig|d['’]accord|exactement|vale|claro|exacto|correcto"
const fillers =
  "please|then|and|sir|jarvis|now|just|bitte|mal|dann|s['’]il (?:te|vous) pla[iî]t|stp|svp|por favor|alors|pues|do"
const thanks = 'thanks|thank you|danke|merci|gracias'
const no =
  "no|nope|nah|nein|nee|nö|non|cancel(?: (?:it|that))?|never ?mind|forget (?:it|that)|leave it|not now|no way|rather not|better not|don['’]t|do not|lass (?:es|das)(?: sein| bleiben)?|lieber nicht|vergiss es|abbrechen|laisse tomber|pas maintenant|d[ée]jalo|ahora no|mejor no"

type Phrases = { before: RegExp; words: RegExp; after: RegExp }
const phrases = (words: string, before: string, after: string): Phrases => ({
  before: new RegExp(`^(?:${before})$`, 'iu'),
  words: new RegExp(`^(?:${words})$`, 'iu'),
  after: new RegExp(`^(?:${words}|${after})$`, 'iu'),
})
const [mostTokens, mostInPhrase] = [16, 4]

/**
 * Tests if a text is nothing but these phrases: any of `before`, one of `words`, then any of `after`. Goes from token to token, because one expression
 * for all of them takes exponential time.
 */
function isMadeOf(text: string, { before, words, after }: Phrases): boolean {
  const tokens = text
    .replace(/^[^\p{L}\p{N}]+/u, '')
    .split(/[\s,.!]+/)
    .filter((token) => token !== '')
  if (tokens.length > mostTokens) return false
  const [ahead, said] = [new Set([0]), new Set<number>()]
  for (let at = 0; at < tokens.length; at++) {
    for (let end = at + 1; end <= Math.min(tokens.length, at + mostInPhrase); end++) {
      const phrase = tokens.slice(at, end).join(' ')
      if (ahead.has(at) && before.test(phrase)) ahead.add(end)
      if ((ahead.has(at) && words.test(phrase)) || (said.has(at) && after.test(phrase))) said.add(end)
    }
  }
  return said.has(tokens.length)
}

const consent = phrases(`${yes}|${acknowledging}`, fillers, fillers)
const isOrdered = new RegExp(`(?<![\\p{L}\\p{N}])(?:${yes})(?![\\p{L}\\p{N}])`, 'iu')
const refusal = phrases(no, `${fillers}|ok|okay|oh`, `${fillers}|${thanks}`)

/** True for `yes`, `ok do it`, `ja bitte`, `oui`, `sí`, `ok`. */
export const isConsent = (text: string): boolean => isMadeOf(text, consent)

/** True for `no`, `nein danke`, `never mind`. */
export const isDeclined = (text: string): boolean => isMadeOf(text, refusal)

const ordinals = [
  /^(?:1|1\.|one|(?:the )?first|eins|(?:das |den |die )?erste[ns]?|(?:le |la )?premi(?:er|ère)|uno|(?:el |la )?primer[oa]?)$/i,
  /^(?:2|2\.|two|(?:the )?second|zwei|(?:das |den |die )?zweite[ns]?|deux|(?:le |la )?deuxième|dos|(?:el |la )?segund[oa])$/i,
  /^(?:3|3\.|three|(?:the )?third|drei|(?:das |den |die )?dritte[ns]?|trois|(?:le |la )?troisième|tres|(?:el |la )?tercer[oa]?)$/i,
  /^(?:4|4\.|four|(?:the )?fourth|vier|(?:das |den |die )?vierte[ns]?|quatre|(?:le |la )?quatrième|cuatro|(?:el |la )?cuart[oa])$/i,
]

/** An answer that says nothing about the matter, so that the offer before it still stands. */
const isCourtesy = (text: string) => /^(?:At your service|Very good), sir\.$/.test(text)

/** `isAsked`: the last answer asks about an offer. `isDenied`: the answer reports a denied call, so the offer may be that call again. */
type Offered = { sentences: readonly string[]; isAsked: boolean; isDenied: boolean }

/** Returns the sentences that the last answer offered. */
function offeredBefore(earlier: readonly Message[]): Offered {
  let isFar = false
  for (let at = earlier.length - 1; at >= 0; at -= 1) {
    const message = earlier[at]
    if (message?.role !== 'assistant') continue
    const text = message.content.map((piece) => (piece.type === 'text' ? piece.text : '')).join('')
    if (!isCourtesy(text))
      return {
        sentences: message.suggestions ?? [],
        isAsked: message.isAsked === true && !isFar,
        isDenied: isDeniedBefore(earlier.slice(0, at)),
      }
    isFar = true
  }
  return { sentences: [], isAsked: false, isDenied: false }
}

/** Returns true if a call was denied after the last words of the person. */
function isDeniedBefore(earlier: readonly Message[]): boolean {
  const asked = earlier.findLastIndex((message) => message.role === 'user' && message.text !== '')
  return earlier
    .slice(asked + 1)
    .some(
      (message) =>
        message.role === 'user' &&
        message.results.some(({ isError, text }) => isError && /^(?:The operator denied this|Denied by )/.test(text)),
    )
}

const takesBack = /^(?:undo|redo)\b/i

/**
 * Returns the offered sentences that `yes`, `ok do it` or `the second` may mean; empty: nothing was offered. `isClear`: there is one sentence, and the
 * text orders it. Undefined: the text consents to nothing.
 */
export function consentedTo(
  text: string,
  earlier: readonly Message[],
): { sentences: readonly string[]; isClear: boolean } | undefined {
  const { sentences, isAsked, isDenied } = offeredBefore(earlier)
  const words = text
    .trim()
    .replace(/[\s.!]+$/, '')
    .replace(/(?:\s+(?:one|please))+$/i, '')
  const at = sentences.length < 2 ? -1 : ordinals.findIndex((ordinal) => ordinal.test(words))
  const picked = sentences[at]
  if (picked !== undefined) return { sentences: [picked], isClear: true }
  if (!isConsent(text)) return undefined
  const [only, ...others] = sentences
  const mayOrder = isOrdered.test(text) && !isDenied && !takesBack.test(only ?? '')
  return { sentences, isClear: only !== undefined && others.length === 0 && (isAsked || mayOrder) }
}
