import { contentReason, nameReason } from './secret-paths.ts'

/** The allowed form of a word. `path`: the command shows the file's name, size and state. `file`: it shows the content. */
export type Pattern = RegExp | 'path' | 'file'

/** Parsed words of a command. Options are named as written (`-n`, `--lines`). */
export type Usage = {
  options: ReadonlySet<string>
  values: ReadonlyMap<string, string>
  operands: readonly string[]
  /** Index of each operand among the words. */
  places: readonly number[]
}

/** Everything that a program or sub-command may be given. Everything else is refused. */
export type Grammar = {
  /** Letters of short options without a value; they may be combined. */
  flags?: string
  /** Other options without a value, in exactly this spelling. */
  words?: readonly string[]
  /** Options with a value, attached or in the next word. */
  values?: Record<string, Pattern>
  /** Options with an optional value. */
  optional?: Record<string, RegExp>
  /** Allows `-20` as a number of lines. */
  numeric?: true
  /** `--` ends the options, as in GNU programs. */
  dashDash?: true
  /** One option of each group is required. Without it the program asks a question, writes, or never ends. */
  needs?: readonly (readonly string[])[]
  /** Patterns of operands by position. `rest`: the pattern of all further operands. */
  operands?: readonly Pattern[]
  rest?: Pattern
  /** Smallest number of operands. */
  min?: number
  sub?: Readonly<Record<string, Grammar>>
  /** Harmful sub-commands, each with its effect in words. */
  deniedSubs?: Readonly<Record<string, string>>
  /** The program also only reads without a sub-command. */
  subOptional?: true
  /** The program's options are allowed before and after the sub-command. */
  shared?: true
  /** Harmful options, each with its effect in words. */
  denied?: Record<string, string>
  /** `-full` means `--full`, and a switch may be followed by 0 or 1, as in Proxmox's programs. */
  oneDash?: true
  /** Checks the words further. @returns why they are refused; undefined: they are not */
  check?(usage: Usage): string | undefined
  /** Replaces the grammar, for programs with a syntax of their own. @returns why the words are refused */
  judge?(words: readonly string[]): string | undefined
}

const clip = (word: string) => (word.length > 80 ? `${word.slice(0, 80)}…` : word)

/** Checks words against a grammar. @returns why they are not proven to read only; undefined: they are */
export function misfit(program: string, root: Grammar, words: readonly string[]): string | undefined {
  if (root.judge !== undefined) return root.judge(words)
  // With `--version`, GNU programs print their version and do nothing else.
  if (root.dashDash === true && words.length === 1 && words[0] === '--version') return undefined
  const sorted = sortWords(program, root, words)
  return typeof sorted === 'string' ? sorted : undefined
}

/** Parses words by a grammar. @returns the parsed words, or why they are refused */
export function sortWords(program: string, root: Grammar, words: readonly string[]): Usage | string {
  const options = new Set<string>()
  const values = new Map<string, string>()
  let operands: string[] = []
  let places: number[] = []
  let grammar = root
  let active = [root]
  const path = [root]
  let name = program
  let optionsEnded = false

  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? ''
    if (!optionsEnded && word === '--' && grammar.dashDash === true) {
      optionsEnded = true
    } else if (!optionsEnded && word.startsWith('-') && word !== '-') {
      const long = root.oneDash === true && /^-[a-z][a-z-]/.test(word) ? `-${word}` : word
      const taken = takeOption({ name, active, takesNext: root.oneDash === true }, long, words[at + 1])
      if (typeof taken === 'string') return taken
      for (const option of taken.options) options.add(option)
      if (taken.value !== undefined) values.set(taken.options.at(-1) ?? '', taken.value)
      if (taken.usedNext) at += 1
    } else if (grammar.sub !== undefined) {
      const sub = Object.hasOwn(grammar.sub, word) ? grammar.sub[word] : undefined
      if (sub === undefined) {
        const does = grammar.deniedSubs && Object.hasOwn(grammar.deniedSubs, word) && grammar.deniedSubs[word]
        return `${name} ${clip(word)} ${does || 'is not known to read only'}.`
      }
      active = [sub, ...active.filter((outer) => outer.shared === true)]
      grammar = sub
      path.push(sub)
      name = `${name} ${word}`
      operands = []
      places = []
    } else {
      const pattern = grammar.operands?.[operands.length] ?? grammar.rest
      if (pattern === undefined) return `${name} takes no ${clip(word)} when it only reads.`
      const problem = unfit(pattern, word)
      if (problem !== undefined) return `${name}: ${problem}`
      operands.push(word)
      places.push(at)
    }
  }
  if (grammar.sub !== undefined && grammar.subOptional !== true) return `${name} needs a sub-command that only reads.`
  if (operands.length < (grammar.min ?? 0)) return `${name} needs an operand.`
  for (const choices of path.flatMap(({ needs = [] }) => needs)) {
    if (!choices.some((choice) => options.has(choice))) return `${name} must be given ${choices.join(' or ')}.`
  }
  const usage = { options, values, operands, places }
  return grammar.check?.(usage) ?? usage
}

type Taken = { options: string[]; value?: string; usedNext: boolean }

/** Parses one option: exact, `--name=value`, `--name value`, `-20`, or combined letters. */
function takeOption(
  { name, active, takesNext }: { name: string; active: readonly Grammar[]; takesNext: boolean },
  word: string,
  next: string | undefined,
): Taken | string {
  const program = name.split(' ')[0] ?? name
  for (const grammar of active) {
    if (grammar.words?.includes(word) === true) return { options: [word], usedNext: false }
    if (grammar.numeric === true && /^-\d{1,6}$/.test(word)) return { options: [word], usedNext: false }
  }
  const denied = (option: string) =>
    active.map((grammar) => grammar.denied?.[option]).find((does) => does !== undefined)
  const refuse = (option: string) => {
    const does = denied(option)
    return does === undefined
      ? `${name}: ${clip(option)} is not an option known to read only.`
      : `${clip(option)} makes ${program} ${does}.`
  }
  /** Reads an option. `attached`: the value in the same word, if any. */
  const take = (option: string, attached: string | undefined, before: string[]): Taken | string => {
    for (const grammar of active) {
      const pattern = grammar.values?.[option]
      if (pattern !== undefined) {
        const value = attached ?? next
        if (value === undefined) return `${name}: ${option} needs a value.`
        const problem = unfit(pattern, value)
        if (problem !== undefined) return `${name} ${option}: ${problem}`
        return { options: [...before, option], value, usedNext: attached === undefined }
      }
      const optional = grammar.optional?.[option]
      if (optional !== undefined) {
        if (attached !== undefined && !optional.test(attached)) return `${name} ${option}: ${unfit(optional, attached)}`
        const usedNext =
          attached === undefined && (takesNext || !option.startsWith('--')) && next !== undefined && optional.test(next)
        const value = usedNext ? next : attached
        return { options: [...before, option], usedNext, value }
      }
    }
    return refuse(option)
  }

  if (word.startsWith('--')) {
    const equals = word.indexOf('=')
    return equals === -1 ? take(word, undefined, []) : take(word.slice(0, equals), word.slice(equals + 1), [])
  }
  if (denied(word) !== undefined) return refuse(word)
  // An option with a name of several letters after one dash: `-in FILE`.
  if (word.length > 2 && active.some(({ values }) => values !== undefined && Object.hasOwn(values, word)))
    return take(word, undefined, [])
  const before: string[] = []
  for (let at = 1; at < word.length; at += 1) {
    const letter = word.charAt(at)
    const option = `-${letter}`
    if (active.some((grammar) => grammar.flags?.includes(letter) === true)) before.push(option)
    else {
      // If none of the letters is known, the message names the whole word.
      const taken = take(option, at + 1 < word.length ? word.slice(at + 1) : undefined, before)
      const isUnknown = typeof taken === 'string' && at === 1 && denied(option) === undefined
      return isUnknown && taken.includes('not an option') ? refuse(word) : taken
    }
  }
  return { options: before, usedNext: false }
}

function unfit(pattern: Pattern, word: string): string | undefined {
  if (word === '') return 'an empty word means nothing here.'
  if (pattern === 'path') return nameReason(word)
  if (pattern === 'file') return contentReason(word)
  return pattern.test(word) ? undefined : `${clip(word)} is not a value known to be safe.`
}
