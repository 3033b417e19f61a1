import { withoutCodes } from 'redaction/visible'
import { isQuantity } from '../effects-of.ts'
import type { World } from '../world.ts'
import { createFinder, runsOf } from './phrases.ts'
import type { Source } from './source.ts'
import { namesFor } from './words.ts'

/** A number among a call's arguments that identifies its target, such as a vmid or an id of an attached tool. */
export type NamedNumber = { argument: string; digits: string }

/** Fewest digits of a number that counts anywhere in a text. Shorter numbers occur in every text, so they count only right after an order. */
const fewest = 3

/** Returns the numbers of a call that identify a target. An SSH command that only reads has none, because a read does no harm. */
export function numbersOf(
  input: unknown,
  isCommand: (name: string) => boolean,
  isChange: (command: string) => boolean,
) {
  const found: NamedNumber[] = []
  const add = (argument: string, digits: string) => {
    if (/^\d+$/.test(digits) && !isQuantity(argument)) found.push({ argument, digits })
  }
  const walk = (value: unknown, name: string) => {
    if (typeof value === 'number' || typeof value === 'bigint') {
      if (Number.isInteger(Number(value))) add(name, String(value).replace('-', ''))
    } else if (typeof value === 'string') {
      if (isCommand(name)) {
        if (isChange(value))
          for (const [digits] of value.matchAll(/(?<![\w.:/-])\d{3,}(?![\w.:/-])/g)) add(name, digits)
      } else add(name, /^[a-z]{0,9}[/:#_ -]?(\d+)$/i.exec(value.trim())?.[1] ?? '')
    } else if (Array.isArray(value)) for (const [index, item] of value.entries()) walk(item, `${name}[${index}]`)
    else if (typeof value === 'object' && value !== null) {
      for (const [key, member] of Object.entries(value)) walk(member, name === '' ? key : `${name}.${key}`)
    }
  }
  walk(input, '')
  return found
}

/**
 * Returns true if a person's text, or the arguments of an earlier call as JSON, contain the number. A number after a colon may be part of a time, a
 * port or an address; it counts only if a quoted key or a word for a guest precedes the colon.
 */
export const says = (text: string, { digits }: NamedNumber): boolean =>
  text.includes(digits) &&
  new RegExp(`(?:(?<=["']:|\\b(?:vm|ct|vmid|ctid|id):)|(?<![\\d.:]))${digits}(?!\\d|[.:]\\d)`).test(text)

/** Makes a function that returns true if the operator's texts contain the number, or the name of the guest with this number. */
export function isSaidBy(operatorTexts: readonly string[], world: Pick<World, 'cluster'>) {
  const nodes = new Set(world.cluster.nodes.map(({ name }) => name.toLowerCase()))
  return (number: NamedNumber): boolean => {
    if (operatorTexts.some((text) => says(readable(text), number))) return true
    const name = world.cluster.guests.find(({ vmid }) => String(vmid) === number.digits)?.name
    if (name === undefined) return false
    const parts = name.split(/[^\p{L}\p{N}]+/u).filter((part) => part.length >= 4)
    const find = createFinder(
      [name, ...parts].flatMap((each) => namesFor(each, nodes)).map((each) => ({ runs: runsOf(each) })),
    )
    return operatorTexts.some((text) => find(runsOf(text.replace(/['’]s\b/g, ' '))).length > 0)
  }
}

/**
 * Returns true if other people's words in a result contain the number. In a list that JARVIS composed from the cluster, a guest's own id does not
 * count; only the names and tags of other guests count there.
 */
export function isNamedIn(
  { isComposed, text, asked }: Source,
  { digits }: NamedNumber,
  world: Pick<World, 'cluster'>,
): boolean {
  const own = world.cluster.guests.find(({ vmid }) => String(vmid) === digits)
  if (isComposed !== true) {
    const read = readable(text)
    if (own !== undefined && isOrdered(read, own.name)) return true
    if (digits.length < fewest)
      return new RegExp(`${order.source}${few}["'#]?${digits}(?!\\d|[.:]\\d)`, 'iu').test(read)
    return isInText(read, digits, sampled.test(String(asked?.command ?? '')))
  }
  if (digits.length < fewest) return false
  const others = world.cluster.guests.filter((guest) => guest !== own)
  if (others.some(({ name, tags }) => [name, ...tags].some((word) => isIn(readable(word), digits)))) return true
  const rest = own === undefined ? text : text.replaceAll(own.name, ' ')
  return (
    rest.includes(digits) && new RegExp(`[\\p{L}_-]${digits}(?!\\d)|(?<![\\d.:,/-])${digits}[\\p{L}_]`, 'u').test(rest)
  )
}

/** Matches verbs of orders. Programs report their work in other forms (`Stopped`, `Starting`). */
const order =
  /(?<![\p{L}-])(?:stop|start|reboot|restart|reset|kill|shut\s?down|power\s?(?:off|on|down)|halt|destroy|delete|remove|drop|purge|suspend|resume|pause|wipe|erase)(?!\p{L}|\.\w)/u
/** Matches up to four words between an order and its object. */
const few = '(?:[^\\p{L}\\p{N}\\n]{1,4}[\\p{L}_]{1,24}){0,4}[^\\p{L}\\p{N}\\n]{1,4}'

/** Returns true if a line of other people's text has an order near a guest's name. The model may know the guest's number from a list. */
function isOrdered(text: string, name: string): boolean {
  const lower = text.toLowerCase()
  const named = name.toLowerCase()
  for (let at = lower.indexOf(named); at !== -1; at = lower.indexOf(named, at + 1)) {
    if (/[\p{L}\p{N}]/u.test(lower.charAt(at - 1)) || /[\p{L}\p{N}]/u.test(lower.charAt(at + named.length))) continue
    const from = Math.max(lower.lastIndexOf('\n', at) + 1, at - 60)
    const lineEnd = lower.indexOf('\n', at)
    const to = Math.min(lineEnd === -1 ? lower.length : lineEnd, at + named.length + 60)
    if (order.test(`${lower.slice(from, at)} ${lower.slice(at + named.length, to)}`)) return true
  }
  return false
}

/** Returns true if a line of other people's text has both an order and the number. */
export const isAnOrderAbout = (text: string, digits: string): boolean =>
  readable(text)
    .split('\n')
    .some((line) => isIn(line, digits) && order.test(line.toLowerCase()))

const isIn = (text: string, digits: string) =>
  text.includes(digits) && new RegExp(`(?<!\\d)${digits}(?!\\d)`).test(text)

/** Matches programs whose output has columns of numbers. */
const sampled =
  /(?:^|\|\s*)(?:ps|top|pgrep|pidof|pidstat|lsof|ss|netstat|free|vmstat|iostat|mpstat|sar|df|du|wc|stat|sensors|smartctl)\b/

/** Matches words beside which a number is probably an id, or the object of an order. */
const acting =
  /\b(?:vm|vmid|ct|ctid|lxc|qm|pct|kvm|qemu|guest|container|machine|id)s?\b|(?:stop|start|reboot|reset|resume|suspend|shut|power|kill|halt|destroy|delete|remove|turn|switch)/i
const unit =
  /^\s?(?:[kmgtp]i?b?|bytes?|[mµun]?s|secs?|seconds?|min|minutes?|hours?|days?|%|°|rpm|hz|[mg]hz|packets?|files?|lines?|times|errors?|blocks?|sectors?|pages?)(?![\p{L}\p{N}])/iu
const countBefore = /(?:pid|process|port|line|code|status|signal|uid|gid|errno|size|total|count|after|took)[\s:=#(]*$/i

/**
 * Returns true if free text contains the number. A number that is part of an address, a time or a longer number does not count. Beside a word for a
 * guest or an order, any other number counts. Elsewhere it does not count in a column of numbers, or as a measure.
 */
function isInText(text: string, digits: string, isSampled: boolean): boolean {
  if (!text.includes(digits)) return false
  const occurrences = new RegExp(
    `(?<![\\d\\p{L}]|\\d[.:,/_-])(?:[\\p{L}]{1,12}[_-]?)?0{0,2}${digits}(?!\\d|[.:,/_-]\\d|\\p{L})|(?<=[\\p{L}_-])${digits}(?=i\\d|[_-])`,
    'giu',
  )
  for (const { index, 0: found } of text.matchAll(occurrences)) {
    const from = text.lastIndexOf('\n', index) + 1
    const ends = index + found.length
    const lineEnd = text.indexOf('\n', ends)
    const to = lineEnd === -1 ? text.length : lineEnd
    const before = text.slice(Math.max(from, index - 200), index)
    const after = text.slice(ends, Math.min(to, ends + 200))
    if (acting.test(`${before}${found}`) || acting.test(after)) return true
    if (isSampled || unit.test(after) || countBefore.test(before) || (/\w\[$/.test(before) && after.startsWith(']')))
      continue
    const words = `${before} ${found} ${after}`.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word))
    const figures = words.filter((word) => /^\W*\d+(?:[.:,/%+-]+\d+)*(?:[.:,/%+-]*[a-z]{1,3})?\W*$/i.test(word)).length
    if (figures * 2 < Math.max(words.length, 2) || words.length < 4) return true
  }
  return false
}

/** Returns a text as a model reads it: digits of any script become ASCII digits, and invisible characters are removed. */
const readable = (text: string): string =>
  /\P{ASCII}/u.test(text)
    ? withoutCodes(text)
        .normalize('NFKC')
        .replace(/[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu, '')
        .replace(/(?![0-9])\p{Nd}/gu, (digit) => String(digitOf(digit.codePointAt(0) ?? 0)))
    : text

/** Returns the value of a digit of any script. Unicode has the digits of each script in one block of ten, zero first. */
function digitOf(code: number): number {
  let value = 0
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value += 1
  return value
}
