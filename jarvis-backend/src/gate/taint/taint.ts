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
 * A phrase of a call that a source has. `because`: the card's words, if the argument is an id that a result must have given. `isWeak`: the
 * words may stand there by chance, or JARVIS wrote them, so they make a call ask and never refuse it.
 */
export type Taint = {
  source: Pick<Source, 'toolName' | 'toolUseId' | 'isOwnNote'>
  argument: string
  phrase: string
  because?: string
  isWeak?: true
}

/** A call's words. `isCommand`: returns whether an argument of that name holds a text that a machine executes; absent: none does. */
export type Words = { input: Record<string, unknown>; isCommand?: ((argument: string) => boolean) | undefined }

/** This many words in a row count as quoted text. */
const wordsOfText = 3

type Piece = {
  argument: string
  phrase: string
  runs: Runs
  /** The one word of an argument: the name or id of a thing. */
  isName?: true
  content: readonly Name[]
  half?: { of: string; isFirst: boolean }
}
/** A meaningful word, with every form in which a person may have said it. */
type Name = { word: string }
type Spelling = { name: Name; runs: Runs }

/**
 * Finds a part of a call's arguments that entered the conversation through a tool result: three words in a row, a whole command, a
 * name, an address, a coded load or the number of a target. The part stands in a result, and neither in the operator's own words
 * nor in a call made before that result came. A phrase does not count if all its meaningful words were known before.
 * Case, quoting, spacing, width and invisible characters make no difference. Pure, and linear in the texts.
 * @returns the first that refuses; else the first that asks
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
  /** Returns the pieces that a text does not hold. Names in the text are added to `names`. */
  const without = (of: readonly Piece[], text: string, names: Set<Name>) => {
    const runs = runsOf(text)
    for (const { name } of findNames(runs)) names.add(name)
    const said = new Set(find(runs))
    return of.filter(
      (piece) => !said.has(piece) && !(piece.content.length > 0 && piece.content.every((name) => names.has(name))),
    )
  }
  /** Text said before a result came cannot come from that result. */
  const learn = (text: string) => {
    const left = without(pieces, text, known)
    if (left.length === pieces.length) return
    pieces = left
    find = createFinder(pieces)
  }
  // Strips a possessive "'s", so that "jellyfin's" names jellyfin.
  for (const text of sources.operatorTexts) learn(text.replace(/['’]s\b/g, ' '))

  const weigh = createScale(sources, world, about)
  const halves = new Map<string, { isFirst: boolean; weight: Weight }>()
  let asks: Taint | undefined
  for (const source of sources.results) {
    const { asked = {}, said } = source
    // A query to the memory may repeat text of a result, so it counts as learned by nobody.
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

/** The pieces of one argument to look for. The longest comes first, because it is the most certain. */
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
    // Numbers and fields of a schedule stand in many texts by chance.
    ...(words.length > 1 && words.some(isNaming) ? [piece(words)] : []),
    ...windows.map((window) => piece(window)),
    ...loads,
    ...(kind === 'command' ? halvesOf(words, piece) : []),
  ]
}

/** The two halves of a short command, which may come from two results. A half of a longer command is a phrase by itself. */
function halvesOf(words: readonly string[], piece: (of: readonly string[], half: Piece['half']) => Piece): Piece[] {
  if (words.length < wordsOfText || words.length > 4) return []
  const of = words.join(' ')
  const halves = [piece(words.slice(0, 2), { of, isFirst: true }), piece(words.slice(2), { of, isFirst: false })]
  return halves.some(({ content }) => content.length > 0) ? halves : []
}

/** The verdict on words that may stand in a picture. JARVIS cannot read pictures, so a person decides and nothing is refused. */
function perhapsFromPicture(verdict: Verdict, { argument, phrase }: Taint): Verdict {
  return asking(verdict, `Its ${argument}, ${quoted(phrase, 120)}, may stand in a picture of this conversation.`)
}

/** A sentence that tells which words of a call came from which source. */
export function repeatedFrom({ source, argument, phrase, because }: Taint): string {
  if (because !== undefined) return because
  return `Its ${argument} repeats text from ${placeOf(source)}: ${quoted(phrase, 120)}.`
}

function placeOf({ toolName, toolUseId, isOwnNote }: Taint['source']): string {
  if (toolName === promptSource) return `the prompt (${toolUseId})`
  if (isOwnNote) return `JARVIS's own note in ${quoted(toolUseId, 120)}`
  return toolName === summarySource ? 'the summary of the cluster' : `the result of ${toolName}`
}

/** The verdict of a call that asks under every profile. The reason is added to the reasons that its card has anyway. */
const asking = (verdict: Verdict, reason: string): Verdict =>
  verdict.tier === 'yellow'
    ? { tier: 'red', rule: taintRule, reason }
    : {
        ...verdict,
        rule: taintRule,
        reason: `${verdict.reason} ${reason}`,
        ...(verdict.reasons && { reasons: [...verdict.reasons, reason] }),
      }

/** The verdict on a call that repeats text out of a tool result: yellow asks; red is refused, but for weak evidence. */
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
