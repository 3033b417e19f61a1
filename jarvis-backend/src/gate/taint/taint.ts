import type { Verdict } from '../../protocol/index.ts'
import { quoted } from '../../redaction/visible.ts'
import { judgeCommand } from '../../ssh-grammar/judge-command.ts'
import { taintRule } from '../policy/profile.ts'
import type { World } from '../world.ts'
import { withEscapesRead } from './escapes.ts'
import { isNamedIn, isSaidBy, numbersOf, says } from './numbers.ts'
import { createFinder, type Runs, runsOf } from './phrases.ts'
import { type Argument, argumentsOf, contentOf, isNaming, loadIn, namesFor } from './words.ts'

/** The texts of the conversation at the time of a call. */
export type Sources = {
  /** In the order they came. */
  results: readonly Source[]
  /** All that the operator wrote; none where an MCP client calls. */
  operatorTexts: readonly string[]
  /** Pictures were read, in which nobody but the model can look for words. */
  hasPictures?: boolean
}
/** Text that came from elsewhere than the operator. */
export type Source = {
  toolName: string
  toolUseId: string
  text: string
  /** JARVIS composed it: what others wrote stands in it as names alone. */
  isComposed?: boolean
  /** Composed, and JARVIS itself names no tool in it that changes something. */
  namesNoChange?: boolean
  /** It found addresses, which may be asked as it gave them. */
  givesAddresses?: boolean
  /** The arguments of the call that the result answers. */
  asked?: Record<string, unknown>
  /** Of a page: the address at which it was read, which its site chose, and whether other sites may stand in it. */
  page?: { url: string; isMixed: boolean }
  /**
   * For a result of the memory: the operator's texts and JARVIS's own calls in the conversations that it repeats. They
   * do not taint where this result repeats them, and do taint elsewhere. Read lazily, when the result is about to taint
   * a call.
   */
  said?: () => Iterable<string>
  /** The same of a tool's result; it counts where the tool repeats earlier conversations. */
  saidIfRecalled?: () => Iterable<string>
}
/** `because`: what says it, where the argument is an id that a result must have given. */
export type Taint = {
  source: { toolName: string; toolUseId: string }
  argument: string
  phrase: string
  because?: string
}

/** A picture is a source of every word that came from nowhere else, under this name. */
export const pictureSource = 'picture'

/** The summary of the cluster that a model is given with each message is a source as well, under this name. */
export const summarySource = 'cluster_state'

/** This many words in a row count as quoted text. */
const wordsOfText = 3

type Piece = {
  argument: string
  phrase: string
  runs: Runs
  content: readonly Name[]
  half?: { of: string; isFirst: boolean }
}
/** A meaningful word, with every form in which a person may have said it. */
type Name = { word: string }
type Spelling = { name: Name; runs: Runs }

/**
 * What of a call's arguments entered the conversation through a tool result: three words in a row, a whole command, a
 * name, an address, a coded load or the number of a target that stand in a result, and neither in the operator's own words
 * nor in a call made before that result came. A phrase of which every telling word was known before is not text of the result either.
 * Case, quoting, spacing, width and invisible characters make no difference. Pure, and linear in the texts.
 * @param isCommand whether an argument of that name holds a text that a machine executes
 */
export function taintOf(
  isCommand: (argument: string) => boolean,
  input: Record<string, unknown>,
  sources: Sources,
  world: Pick<World, 'cluster'>,
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
  /** Those of some pieces that a text does not say; what it names is added to `names`. */
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

  const halves = new Map<string, boolean>()
  for (const source of sources.results) {
    const { toolName: name, toolUseId, asked = {}, said } = source
    // A query to the memory may repeat text of a result, so it counts as learned by nobody.
    if (said === undefined) {
      for (const { words } of argumentsOf(asked, isCommand, nodes)) learn(words.join(' '))
      if (numbers.length > 0) numbers = numbers.filter((number) => !says(JSON.stringify(asked), number))
    }
    if (pieces.length + numbers.length === 0) return undefined
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
    const whole = found.find(({ half }) => half === undefined)
    if (whole !== undefined) return taintFrom(name, toolUseId, whole)
    const [number] = named
    if (number !== undefined) return taintFrom(name, toolUseId, { argument: number.argument, phrase: number.digits })
    for (const { half, ...piece } of found) {
      if (half === undefined) continue
      const other = halves.get(half.of)
      if (other === !half.isFirst) return taintFrom(name, toolUseId, { ...piece, phrase: half.of })
      halves.set(half.of, half.isFirst)
    }
  }
  if (sources.hasPictures !== true) return undefined
  const [unknown = numbers.map(({ argument, digits }) => ({ argument, phrase: digits }))[0]] = pieces
  return unknown && taintFrom(pictureSource, pictureSource, unknown)
}

const isNoRead = (command: string) => judgeCommand(command).verdict !== 'read_only'

const taintFrom = (
  toolName: string,
  toolUseId: string,
  { argument, phrase }: Pick<Taint, 'argument' | 'phrase'>,
): Taint => ({
  source: { toolName, toolUseId },
  argument,
  phrase,
})

/** What to look for of one argument; the longest first, for it says most. */
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
    return contentOf(word, vocabulary) === undefined ? loads : [piece([word.replace(/\.service$/i, '')]), ...loads]
  }
  const windows = words
    .slice(0, Math.max(0, words.length - wordsOfText + 1))
    .map((_, at) => words.slice(at, at + wordsOfText))
    .filter((window) => window.some(isNaming))
  return [
    ...(words.length > 1 ? [piece(words)] : []),
    ...windows.map((window) => piece(window)),
    ...loads,
    ...(kind === 'command' ? halvesOf(words, piece) : []),
  ]
}

/** A short command that comes in two parts, from two results. Of a longer one some part is a phrase by itself. */
function halvesOf(words: readonly string[], piece: (of: readonly string[], half: Piece['half']) => Piece): Piece[] {
  if (words.length < wordsOfText || words.length > 4) return []
  const of = words.join(' ')
  const halves = [piece(words.slice(0, 2), { of, isFirst: true }), piece(words.slice(2), { of, isFirst: false })]
  return halves.some(({ content }) => content.length > 0) ? halves : []
}

/** It cannot be told whether a picture says it, so a person decides and nothing is refused. */
function perhapsFromPicture(verdict: Verdict, { argument, phrase }: Taint): Verdict {
  const reason = `The operator did not write ${quoted(phrase, 120)}, its ${argument}, and it may stand in a picture of this conversation.`
  return verdict.tier === 'yellow'
    ? { tier: 'red', rule: taintRule, reason }
    : { ...verdict, reason: `${verdict.reason} ${reason}` }
}

/** Which words of a call came from where, as a sentence. */
export function repeatedFrom({ source, argument, phrase, because }: Taint): string {
  if (because !== undefined) return because
  const from = source.toolName === summarySource ? 'the summary of the cluster' : `the result of ${source.toolName}`
  return `Its ${argument} repeats text from ${from}: ${quoted(phrase, 120)}. The operator did not write that.`
}

/** The verdict on a call that repeats text out of a tool result: yellow asks, red is refused. */
export function taintedVerdict(verdict: Verdict, toolName: string, taint: Taint): Verdict {
  if (taint.source.toolName === pictureSource) return perhapsFromPicture(verdict, taint)
  const tier = verdict.tier === 'yellow' ? 'red' : 'black'
  const reason = repeatedFrom(taint)
  return {
    tier,
    rule: taintRule,
    reason:
      tier === 'red'
        ? reason
        : `${reason} Only the operator can have it run: by naming it in a message, or by typing /${toolName}.`,
  }
}
