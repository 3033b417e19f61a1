import type { Verdict } from 'protocol'
import { quoted } from 'redaction/visible'
import { judgeCommand } from 'ssh-grammar/judge-command'
import { taintRule } from '../policy/profile.ts'
import type { World } from '../world.ts'
import { withEscapesRead } from './escapes.ts'
import { isNamedIn, isSaidBy, numbersOf, says } from './numbers.ts'
import { createFinder, type Runs, runsOf } from './phrases.ts'
import type { About, Source, Sources } from './source.ts'
import { pictureSource, promptSource, summarySource } from './sources.ts'
import { createScale, type Weight } from './weight.ts'
import { type Argument, argumentsOf, contentOf, isNaming, loadIn, namesFor } from './words.ts'

/**
 * A phrase of a call's arguments that also occurs in a source, such as a tool result. `because`: the card's text, set if the argument is the id of a
 * thing that JARVIS made. `isWeak`: weak evidence, because the match may be chance or JARVIS wrote the text; the call then asks a person and is not
 * refused.
 */
export type Taint = {
  source: Pick<Source, 'toolName' | 'toolUseId' | 'isOwnNote'>
  argument: string
  phrase: string
  because?: string
  isWeak?: true
}

/** The words of a call. `isCommand`: returns true if the argument with this name is a text that a machine executes; absent: no argument is. */
export type Words = { input: Record<string, unknown>; isCommand?: ((argument: string) => boolean) | undefined }

/** Number of words in a row that count as quoted text. */
const wordsOfText = 3

type Piece = {
  argument: string
  phrase: string
  runs: Runs
  /** True if the piece is an argument of a single word: the name or id of an object. */
  isName?: true
  content: readonly Name[]
  half?: { of: string; isFirst: boolean }
}
/** A meaningful word. It is searched for in every form in which a person may have written it. */
type Name = { word: string }
type Spelling = { name: Name; runs: Runs }

/**
 * Finds a part of a call's arguments that came into the conversation through a tool result: three words in a row, a whole command, a name, an
 * address, a coded load or the number of a target. The part occurs in a result, and neither in the operator's own words nor in a call that was made
 * before that result came. A phrase does not count if all its meaningful words were known before. Case, quotes, spacing, width and invisible
 * characters are ignored. Pure, and linear in the texts.
 * @returns the first match that refuses the call; otherwise the first that makes it ask
 */
export function taintOf(
  { input, isCommand = () => false }: Words,
  sources: Sources,
  { world, ...about }: About & { world: Pick<World, 'cluster'> },
): Taint | undefined {
  if (sources.results.length === 0 && sources.hasPictures !== true) return undefined
  const nodes = new Set(world.cluster.nodes.map(({ name }) => name.toLowerCase()))
  let pieces = argumentsOf(input, isCommand, nodes).flatMap(piecesOf)
  const isSaid = isSaidBy(sources.operatorTexts, world)
  let numbers = numbersOf(input, isCommand, isNoRead).filter((number) => !isSaid(number))
  if (pieces.length + numbers.length === 0) return undefined

  const spellings = pieces
    .flatMap(({ content }) => content)
    .flatMap((name): Spelling[] => namesFor(name.word, nodes).map((text) => ({ name, runs: runsOf(text) })))
  const findNames = createFinder(spellings)
  const known = new Set<Name>()
  let find = createFinder(pieces)
  /** Returns the pieces that do not occur in a text. Adds the names that occur in the text to `names`. */
  const without = (of: readonly Piece[], text: string, names: Set<Name>) => {
    const runs = runsOf(text)
    for (const { name } of findNames(runs)) names.add(name)
    const said = new Set(find(runs))
    return of.filter(
      (piece) => !said.has(piece) && !(piece.content.length > 0 && piece.content.every((name) => names.has(name))),
    )
  }
  /** Drops pieces that occur in a text from before a result: they cannot come from that result. */
  const learn = (text: string) => {
    const left = without(pieces, text, known)
    if (left.length === pieces.length) return
    pieces = left
    find = createFinder(pieces)
  }
  // Removes a possessive "'s", so that "jellyfin's" names jellyfin.
  for (const text of sources.operatorTexts) learn(text.replace(/['’]s\b/g, ' '))

  const weigh = createScale(sources, world, about)
  const halves = new Map<string, { isFirst: boolean; weight: Weight }>()
  let asks: Taint | undefined
  for (const source of sources.results) {
    const { asked = {}, said } = source
    // The arguments of an earlier call count as known. A query to the memory is left out, because it may itself repeat text of a result.
    if (said === undefined) {
      for (const { words } of argumentsOf(asked, isCommand, nodes)) learn(words.join(' '))
      if (numbers.length > 0) numbers = numbers.filter((number) => !says(JSON.stringify(asked), number))
    }
    if (pieces.length + numbers.length === 0) return asks
    const text = withEscapesRead(source.text)
    let found = pieces.length === 0 ? [] : find(runsOf(text))
    let named = numbers.filter((number) => isNamedIn({ ...source, text }, number, world))
    if (said !== undefined && found.length + named.length > 0) {
      const names = new Set(known)
      for (const words of said()) {
        found = without(found, words, names)
        named = named.filter((number) => !says(words, number))
        if (found.length + named.length === 0) break
      }
    }
    const weighed = [
      ...found.flatMap((piece) => {
        const weight = weigh.piece(piece, source)
        const { half } = piece
        if (half === undefined) return { ...piece, weight }
        const other = halves.get(half.of)
        halves.set(half.of, { isFirst: half.isFirst, weight })
        if (other?.isFirst !== !half.isFirst) return []
        return { ...piece, phrase: half.of, weight: other.weight === 'refuses' ? weight : other.weight }
      }),
      ...named.map(({ argument, digits }) => ({ argument, phrase: digits, weight: weigh.number(digits, source) })),
    ]
    const refuses = weighed.find(({ weight }) => weight === 'refuses')
    if (refuses !== undefined) return taintFrom(source, refuses)
    const weak = weighed.find(({ weight }) => weight === 'asks')
    if (weak !== undefined) asks ??= { ...taintFrom(source, weak), isWeak: true }
  }
  if (asks !== undefined) return asks
  if (sources.hasPictures !== true) return undefined
  const [unknown = numbers.map(({ argument, digits }) => ({ argument, phrase: digits }))[0]] = pieces
  return unknown && taintFrom({ toolName: pictureSource, toolUseId: pictureSource }, unknown)
}

const isNoRead = (command: string) => judgeCommand(command).verdict !== 'read_only'

const taintFrom = (
  { toolName, toolUseId, isOwnNote }: Taint['source'],
  { argument, phrase }: Pick<Taint, 'argument' | 'phrase'>,
): Taint => ({
  source: { toolName, toolUseId, ...(isOwnNote && { isOwnNote }) },
  argument,
  phrase,
})

/** Returns the pieces of one argument to search for, the longest first, because it is the strongest evidence. */
function piecesOf({ name, words, kind, vocabulary }: Argument): Piece[] {
  const names = new Map(words.map((word) => [word, contentOf(word, vocabulary)]))
  const asNames = new Map(
    [...names.values()].flatMap((word) => (word === undefined ? [] : [[word, { word }] as const])),
  )
  const piece = (of: readonly string[], half?: Piece['half']): Piece => {
    const content = of.flatMap((word) => asNames.get(names.get(word) ?? '') ?? [])
    const phrase = of.join(' ')
    return { argument: name, phrase, runs: runsOf(phrase), content, ...(half && { half }) }
  }
  const loads = words.flatMap((word) => loadIn(word) ?? []).map((load) => piece([load]))
  if (kind === 'identifier') {
    const [word = ''] = words
    if (contentOf(word, vocabulary) === undefined) return loads
    return [{ ...piece([word.replace(/\.service$/i, '')]), isName: true }, ...loads]
  }
  const windows = words
    .slice(0, Math.max(0, words.length - wordsOfText + 1))
    .map((_, at) => words.slice(at, at + wordsOfText))
    .filter((window) => window.some(isNaming))
  return [
    // Phrases of only numbers and schedule fields are left out, because they occur in many texts by chance.
    ...(words.length > 1 && words.some(isNaming) ? [piece(words)] : []),
    ...windows.map((window) => piece(window)),
    ...loads,
    ...(kind === 'command' ? halvesOf(words, piece) : []),
  ]
}

/**
 * Returns the two halves of a short command, which may come from two different results. A half of a longer command is searched for as a phrase of
 * its own.
 */
function halvesOf(words: readonly string[], piece: (of: readonly string[], half: Piece['half']) => Piece): Piece[] {
  if (words.length < wordsOfText || words.length > 4) return []
  const of = words.join(' ')
  const halves = [piece(words.slice(0, 2), { of, isFirst: true }), piece(words.slice(2), { of, isFirst: false })]
  return halves.some(({ content }) => content.length > 0) ? halves : []
}

/** Returns the verdict on words that may come from a picture. JARVIS cannot read pictures, so a person decides and the call is not refused. */
function perhapsFromPicture(verdict: Verdict, { argument, phrase }: Taint): Verdict {
  return asking(verdict, `Its ${argument}, ${quoted(phrase, 120)}, may stand in a picture of this conversation.`)
}

/** Returns a sentence that says which words of a call came from which source. */
export function repeatedFrom({ source, argument, phrase, because }: Taint): string {
  if (because !== undefined) return because
  return `Its ${argument} repeats text from ${placeOf(source)}: ${quoted(phrase, 120)}.`
}

function placeOf({ toolName, toolUseId, isOwnNote }: Taint['source']): string {
  if (toolName === promptSource) return `the prompt (${toolUseId})`
  if (isOwnNote) return `JARVIS's own note in ${quoted(toolUseId, 120)}`
  return toolName === summarySource ? 'the summary of the cluster' : `the result of ${toolName}`
}

/** Returns a verdict that asks under every profile. Adds the reason to those that the verdict has already. */
const asking = (verdict: Verdict, reason: string): Verdict =>
  verdict.tier === 'yellow'
    ? { tier: 'red', rule: taintRule, reason }
    : {
        ...verdict,
        rule: taintRule,
        reason: `${verdict.reason} ${reason}`,
        ...(verdict.reasons && { reasons: [...verdict.reasons, reason] }),
      }

/**
 * Returns the verdict on a call that repeats text from a tool result: a yellow call asks; a red call is refused, but asks if the evidence is weak.
 */
export function taintedVerdict(verdict: Verdict, toolName: string, taint: Taint): Verdict {
  if (taint.source.toolName === pictureSource) return perhapsFromPicture(verdict, taint)
  const reason = repeatedFrom(taint)
  if (verdict.tier === 'yellow' || taint.isWeak) return asking(verdict, reason)
  return {
    tier: 'black',
    rule: taintRule,
    reason: `${reason} Only the operator can have it run: by naming it in a message, or by typing /${toolName}.`,
  }
}
