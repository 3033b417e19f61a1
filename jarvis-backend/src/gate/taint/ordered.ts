import type { Verdict } from 'protocol'
import { withoutCodes } from 'redaction/visible'
import { taintRule } from '../policy/profile.ts'
import { withEscapesRead } from './escapes.ts'
import { germanOrders, saysInGerman } from './german-orders.ts'
import type { Sources } from './source.ts'
import { summarySource } from './sources.ts'
import { isMadeHere } from './weight.ts'

/** Words in the names of tools that are objects and not verbs. */
const things = new Set([
  'node',
  'guest',
  'vm',
  'container',
  'docker',
  'service',
  'config',
  'package',
  'lists',
  'network',
  'job',
  'up',
  // `memory_write` has its verb at the end, so `memory` is skipped too.
  'memory',
])

/** Maximum number of words between an order's verb and its target: `wake up the sleeping node agent`. */
const mostBetween = 6
/** Fewest characters of a name or number that counts: shorter ones occur in every text. */
const fewestChars = 3

/** `names`: the names of the call's targets, such as `jellyfin` for the argument 104. */
type OrderedCall = { toolName: string; input: Readonly<Record<string, unknown>>; names: readonly string[] }

/**
 * Returns the tool whose result orders a call; undefined if there is none. A result orders a call in two cases. It names the tool, which no guest,
 * log or file does by itself. Or it has the tool's verb as an order, followed by one of the call's arguments or targets, as in `please wake the node
 * agent`. Such a text was written for a model.
 * Results that JARVIS composed, and notes in the memory, may name tools, so only an order in words counts there. The operator's own words in
 * conversations that a note repeats do not count. If the operator named the tool, or one of its verbs and one of the call's arguments or targets,
 * the order is the operator's own. Words in an address that the operator gave do not count as an order.
 */
export function orderedBy(
  { toolName, input, names }: OrderedCall,
  { results, operatorTexts }: Sources,
): string | undefined {
  const name = new RegExp(`(?<![\\w-])${toolName.replace(/[^\w]/g, '.')}(?![\\w-])`, 'i')
  const saysOf = (text: string, words: readonly string[]) =>
    words.some((word) => new RegExp(`(?<![\\w])${word.replace(/[^\w]/g, '.')}(?![\\w])`, 'i').test(text))
  const deeds = toolName.split('_').filter((word) => !things.has(word))
  const scalars = Object.values(input).flatMap((value) =>
    typeof value === 'string' || typeof value === 'number' ? [String(value)] : [],
  )
  const values = [...scalars, ...names].filter((value) => value !== '')
  const isNameless = values.some(isMadeHere)
  const own = operatorTexts.map((text) => text.replace(/\bhttps?:\/\/\S+/gi, ' '))
  const saysDeed = (text: string) => saysOf(text, deeds) || saysInGerman(text, deeds[0])
  if (own.some((text) => name.test(text) || (saysDeed(text) && (isNameless || saysOf(text, values))))) return undefined
  const orders = ordersOf(deeds[0], values)
  const isOrdered = (text: string) => orders.some((order) => order.test(text))
  return results.find(({ text, isComposed, namesNoChange, said, toolName: from }) => {
    if (from === summarySource) return false
    // A composed result may contain the text of an error. JARVIS's own words in it order nothing, although some of them name tools.
    const isNamingTools = said !== undefined || (isComposed === true && namesNoChange !== true)
    const plain = withoutCodes(withEscapesRead(text))
    if ((isNamingTools || !name.test(plain)) && !isOrdered(plain)) return false
    return said === undefined || ![...said()].some(isOrdered)
  })?.toolName
}

/**
 * Makes patterns that find an order in plain words: the verb at the beginning of a sentence or after a word such as `please`, followed soon by a
 * value; in German the value may also come first. A log reports its work in other forms: `started`, `Restarting`.
 */
function ordersOf(verb: string | undefined, values: readonly string[]): RegExp[] {
  const named = values
    .filter((value) => value.length >= fewestChars && !isMadeHere(value))
    .map((value) => value.replace(/[^\w]/g, '.'))
  // A stranger cannot know an id that JARVIS made, so the verb alone counts as an order: `undo the last change`.
  if (values.some(isMadeHere)) named.push('\\w+')
  if (verb === undefined || named.length === 0) return []
  const start = String.raw`(?:^|[.!?:;,"'“(\]]|\b(?:please|now|must|should|shall|then|and|to|you|immediately))\s*`
  const between = String.raw`(?:[^\w\n]+\w+){0,${mostBetween}}?[^\w\n]+`
  const target = `(?:${named.join('|')})(?![\\w-])`
  return [new RegExp(`${start}\\b${verb}\\b${between}${target}`, 'im'), ...germanOrders(verb, target)]
}

/** Returns the verdict on a limited change that a result orders: a person is asked. @param from the tool that returned the result */
export const orderedVerdict = (toolName: string, from: string): Verdict => ({
  tier: 'red',
  rule: taintRule,
  reason: `The result of ${from} orders it: a text there names ${toolName}, or says in words to do this.`,
})
