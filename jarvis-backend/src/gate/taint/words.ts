import { commandWords } from 'ssh-grammar/command-words'
import type { Grammar } from 'ssh-grammar/grammar'
import { programs } from 'ssh-grammar/programs/index'
import { restartCost } from 'ssh-grammar/services'

/** One argument of a call, in the form that the taint check uses. */
export type Argument = {
  /** The argument's path, such as `command` or `message.text`. */
  name: string
  words: readonly string[]
  kind: 'command' | 'text' | 'identifier'
  /** For a command, the words that JARVIS itself knows: the program and its read-only sub-commands. */
  vocabulary: ReadonlySet<string>
}

/** Returns every text among a call's arguments, at any depth. Numbers, booleans and the names of nodes are left out. */
export function argumentsOf(input: unknown, isCommand: (name: string) => boolean, nodes: ReadonlySet<string>) {
  const found: Argument[] = []
  const add = (name: string, text: string) => {
    if (nodes.has(text.toLowerCase())) return
    const command = isCommand(name)
    const words = (command ? wordsOf(text) : text.split(/\s+/)).filter((word) => /[\p{L}\p{N}]/u.test(word))
    if (words.length === 0) return
    const kind = command ? 'command' : words.length === 1 ? 'identifier' : 'text'
    found.push({ name, words, kind, vocabulary: command ? vocabularyOf(words) : new Set() })
  }
  const walk = (value: unknown, name: string) => {
    if (typeof value === 'string') add(name, value)
    else if (Array.isArray(value)) for (const [index, item] of value.entries()) walk(item, `${name}[${index}]`)
    else if (typeof value === 'object' && value !== null) {
      for (const [key, member] of Object.entries(value)) {
        // Names of fields are not text. A key that contains a space is a sentence, so it counts.
        if (/\s/.test(key)) add(name, key)
        walk(member, name === '' ? key : `${name}.${key}`)
      }
    }
  }
  walk(input, '')
  return found
}

/** Returns the words of all stages of a command. If the command cannot be parsed, splits it at spaces and pipes. */
function wordsOf(command: string): readonly string[] {
  const words = commandWords(command).flat()
  return words.length > 0 ? words : command.split(/[\s|]+/)
}

function vocabularyOf(words: readonly string[]): ReadonlySet<string> {
  const known = new Set<string>()
  let grammar: Grammar | undefined
  for (const word of words) {
    const program = grammar === undefined ? programs.get(word) : undefined
    const next: Grammar | undefined =
      program ?? (grammar?.sub && Object.hasOwn(grammar.sub, word) ? grammar.sub[word] : undefined)
    if (next === undefined) continue
    known.add(word)
    grammar = next
  }
  return known
}

/** Returns true for a number, with or without a unit. */
const isNumber = (word: string) =>
  /^[+-]?\d+(?:[.,:]\d+){0,2}(?:[a-z%]{0,2}|[kmgtp]i?b(?:it)?|secs?|mins?|hours?|days?|rpm|[kmg]hz)$/i.test(word)
/** Returns true for a field of a cron schedule: `1-5`, `mon,wed`, `3/6`. */
const isCronField = (word: string) =>
  /^(?=.{1,80}$)(?:\*|\d{1,2}|[a-z]{3})(?:[-,/](?:\d{1,2}|[a-z]{3}))*$/i.test(word) &&
  (word.match(/[a-z]{3}/gi) ?? []).every((name) => cronNames.has(name.toLowerCase()))
const cronNames = new Set('sun mon tue wed thu fri sat jan feb mar apr may jun jul aug sep oct nov dec'.split(' '))
const isUnit = (word: string) => /^(?:[kmgtp]i?b(?:it)?|secs?|mins?|hours?|days?|rpm|[kmg]hz)[.,;)]?$/i.test(word)
/** Returns true for words that occur in many texts by chance: numbers, units and schedule fields. */
const isStructural = (word: string) => isNumber(word) || isUnit(word) || isCronField(word)

/** Returns the value of an option: `smbd` for `--unit=smbd`; empty for an option without a value. Other words are returned unchanged. */
const valueIn = (word: string) => (word.startsWith('-') ? (/=(.+)/s.exec(word)?.[1] ?? '') : word)

/** Returns the meaningful part of a word: `--unit=smbd` gives smbd. Undefined for an option without value, a number, and a word of `vocabulary`. */
export function contentOf(word: string, vocabulary: ReadonlySet<string>): string | undefined {
  const said = valueIn(word)
  return said === '' || isStructural(said) || vocabulary.has(said) ? undefined : said
}

/** Returns true if the word is not an option, a number or part of a schedule. Such words occur in many texts. */
export const isNaming = (word: string): boolean => !word.startsWith('-') && !isStructural(word)

/**
 * Returns the forms in which a person may have written `word`: the word without `.service`, and for a plain name also its beginning (`pihole` for
 * pihole-FTL). The beginning does not count for a service whose restart is risky.
 */
export function namesFor(word: string, nodes: ReadonlySet<string>): string[] {
  const name = word.replace(/\.service$/i, '')
  if (!/^[A-Za-z][\w@.-]{0,63}$/.test(name) || restartCost(name) !== undefined) return [name]
  const [first = ''] = /^[A-Za-z\d]+/.exec(name) ?? []
  const joined = name.replace(/[^A-Za-z\d]/g, '')
  const beginnings = Array.from({ length: Math.max(0, joined.length - 3) }, (_, index) => joined.slice(0, index + 4))
  return [name, ...(first.length === 3 ? [first] : []), ...beginnings].filter((each) => !nodes.has(each.toLowerCase()))
}

/** Matches endings of files, units and local names, which only look like a host name. */
const noHost =
  /\.(?:service|timer|socket|target|mount|slice|scope|path|log|conf|cfg|ya?ml|json|txt|gz|xz|zst|zip|sh|py|js|db|lan|local|internal|home|arpa)$/i
const shortest = 20

/**
 * Returns the address, outside host or coded load in a word; undefined if there is none. Alone it can contain as much as a sentence. Paths, ids and
 * hashes do not count.
 */
export function loadIn(word: string): string | undefined {
  if (word.length < shortest) return undefined
  const url = /[a-z][a-z\d+.-]{0,20}:\/\/[^\s/].*/is.exec(word)
  if (url !== null) return url[0].length < shortest ? undefined : url[0]
  const said = valueIn(word)
  if (/^(?:[\w-]{1,63}\.){2,20}[a-z]{2,24}$/i.test(said)) {
    return said.length < shortest || noHost.test(said) ? undefined : said
  }
  if (/^(?:\/|UPID:|(?:ata|nvme|scsi|usb|wwn|zfs|dm)-)/.test(said)) return undefined
  const runs: readonly string[] = said.match(/[A-Za-z\d+/=_-]{20,}/g) ?? []
  return runs.find((run) => /[a-z]/.test(run) && /[A-Z]/.test(run) && /\d/.test(run))
}
