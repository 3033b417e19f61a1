import type { Message } from './request.ts'

const yes =
  "yes|yep|yeah|sure|ok|okay|k|fine|ja|jo|jawohl|gerne|klar|genau|oui|ouais|d['’]accord|s[ií]|vale|claro|confirm(?:ed)?|approved?|proceed|go ahead|go on|do (?:it|that|so)|make it so|mach(?:e)?(?: das| es|['’]s)?|tu (?:das|es)|los|vas-y|fais[- ]le|hazlo|adelante"
const fillers =
  "please|then|and|sir|jarvis|now|just|bitte|mal|dann|s['’]il (?:te|vous) pla[iî]t|stp|svp|por favor|alors|pues|do"
const consent = new RegExp(
  `^\\W*(?:(?:${fillers})[\\s,.!]+)*(?:${yes})(?:[\\s,.!]+(?:${yes}|${fillers}))*[\\s.,!]*$`,
  'iu',
)

/** True for `yes`, `ok do it`, `ja bitte`, `oui`, `sí`. */
export const isConsent = (text: string): boolean => consent.test(text)

const ordinals = [
  /^(?:1|1\.|one|(?:the )?first|(?:das |den |die )?erste[ns]?|(?:le |la )?premi(?:er|ère)|(?:el |la )?primer[oa]?)$/i,
  /^(?:2|2\.|two|(?:the )?second|(?:das |den |die )?zweite[ns]?|(?:le |la )?deuxième|(?:el |la )?segund[oa])$/i,
  /^(?:3|3\.|three|(?:the )?third|(?:das |den |die )?dritte[ns]?|(?:le |la )?troisième|(?:el |la )?tercer[oa]?)$/i,
  /^(?:4|4\.|four|(?:the )?fourth|(?:das |den |die )?vierte[ns]?|(?:le |la )?quatrième|(?:el |la )?cuart[oa])$/i,
]

/** An answer that says nothing about the matter, so that the offer before it still stands. */
const isCourtesy = (text: string) => /^(?:At your service|Very good), sir\.$/.test(text)

/** Returns the sentences that the last answer offered. */
export function offeredBefore(earlier: readonly Message[]): readonly string[] {
  for (const message of earlier.toReversed()) {
    if (message.role === 'user') continue
    const text = message.content.map((piece) => (piece.type === 'text' ? piece.text : '')).join('')
    if (!isCourtesy(text)) return message.suggestions ?? []
  }
  return []
}

/**
 * Returns the offered sentence that `yes`, `ok do it` or `the second` means; several: which one is not clear; empty: nothing was offered. Undefined:
 * the text consents to nothing.
 */
export function consentedTo(text: string, earlier: readonly Message[]): readonly string[] | undefined {
  const offered = offeredBefore(earlier)
  const words = text.trim().replace(/\s*(?:one|please)?[\s.!]*$/i, '')
  const at = offered.length < 2 ? -1 : ordinals.findIndex((ordinal) => ordinal.test(words))
  const picked = offered[at]
  if (picked !== undefined) return [picked]
  return isConsent(text) ? offered : undefined
}
