import { JarvisError } from 'protocol'
import { commonWords } from './common-words.ts'

const shortest = 8
/** Length from which several words together are a passphrase and not a common password, characters. */
const long = 15

/** Words that an attacker of JARVIS tries first. */
const ofTheHouse = ['jarvis', 'proxmox', 'homelab']

/**
 * Refuses a password that attackers try first. Any character is allowed, and none is required. @param own words of this installation: the person's
 * name, the host's names @throws JarvisError `invalid_request` with the reason
 */
export function requireGoodPassword(password: string, own: readonly string[] = []): void {
  const problem = passwordProblem(password, own)
  if (problem !== undefined) throw new JarvisError('invalid_request', problem)
}

/** The reason why a password is easy to guess; undefined if it is not. */
export function passwordProblem(password: string, own: readonly string[]): string | undefined {
  if ([...password].length < shortest) return `A password has at least ${shortest} characters.`
  const text = password.normalize('NFKC').toLowerCase()
  const why = isOwn(text, [...ofTheHouse, ...own])
    ? 'The password is little more than a name that belongs here.'
    : isCommon(text)
      ? 'This is among the passwords that are tried first.'
      : undefined
  return why && `${why} Take ${long} characters or more: some words that do not belong together.`
}

const letters = /[^\p{L}]/gu
const joints = /[\s._-]/g

/** True if the text consists of names of this installation and a few further characters. */
function isOwn(text: string, own: readonly string[]): boolean {
  const names = own
    .flatMap((name) => [name.toLowerCase(), ...name.toLowerCase().split(/[^\p{L}\d]+/u)])
    .map((name) => name.replace(joints, ''))
    .filter((name) => name.length > 2)
  return spellings(text.replace(joints, '')).some((spelled) => {
    if (names.includes(spelled.replace(letters, ''))) return true
    const rest = names
      .filter((name) => name.length > 3)
      .sort((a, b) => b.length - a.length)
      .reduce((left, name) => left.replaceAll(name, ''), spelled)
    return rest.length < spelled.length && rest.length < 6
  })
}

function isCommon(text: string): boolean {
  if (isPattern(text)) return true
  const whole = text.replace(joints, '')
  if (isPattern(whole)) return true
  return [whole, ...spellings(whole)].some((spelled) => {
    const [before = ''] = /^[^a-z]*/.exec(spelled) ?? []
    const [after = ''] = /(?<![^a-z])[^a-z]*$/.exec(spelled.slice(before.length)) ?? []
    const core = spelled.slice(before.length, spelled.length - after.length)
    if (!isAffix(before) || !isAffix(after)) return false
    return spellings(core).some((stem) => isStem(stem, [...text].length < long))
  })
}

/** True for a common word, a keyboard row, a common word twice, or, if `mayBeTwo`, two common words. */
function isStem(stem: string, mayBeTwo: boolean): boolean {
  if (commonWords.has(stem) || isPattern(stem)) return true
  const half = stem.length / 2
  if (commonWords.has(stem.slice(0, half)) && stem.slice(0, half) === stem.slice(half)) return true
  if (stem.endsWith('s') && commonWords.has(stem.slice(0, -1))) return true
  if (!mayBeTwo) return false
  for (let at = 2; at <= stem.length - 2; at += 1)
    if (commonWords.has(stem.slice(0, at)) && commonWords.has(stem.slice(at))) return true
  return false
}

/** True for characters that people put around a word: some digits or signs, a year, a keyboard row. */
const isAffix = (text: string): boolean => text.length <= 4 || /^\d{0,4}[^\da-z]{0,2}$/.test(text) || isPattern(text)

const asLetters: Readonly<Record<string, string>> = {
  '0': 'o',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '6': 'g',
  '7': 't',
  '8': 'b',
  '9': 'g',
  '@': 'a',
  $: 's',
  '!': 'i',
  '+': 't',
  '€': 'e',
  '|': 'l',
}

/** The text, and the readings in which digits and signs stand for letters. */
function spellings(text: string): string[] {
  const read = (one: string) => [...text].map((sign) => (sign === '1' ? one : (asLetters[sign] ?? sign))).join('')
  return [text, read('i'), read('l')]
}

const lines = [
  'abcdefghijklmnopqrstuvwxyz',
  '01234567890',
  ...['qwertyuiop', 'asdfghjkl', 'zxcvbnm', 'qwertzuiop', 'yxcvbnm', 'azertyuiop', 'qsdfghjklm', 'wxcvbn'],
  ...['1qaz', '2wsx', '3edc', '4rfv', '5tgb', '6yhn', '7ujm', '8ik', '9ol', '741', '852', '963', '159', '357'],
  ...['1q2w3e4r5t6y7u8i9o0p', 'q1w2e3r4t5y6u7i8o9p0', 'a1b2c3d4e5f6g7h8', '1a2b3c4d5e6f7g8h', 'a1s2d3f4g5'],
]
const runs = [...lines, ...lines.map((line) => [...line].reverse().join(''))]
const shifted = '!@#$%^&*()'

/** True for a short text that repeats, a date, or characters that are neighbours on the keyboard, in the alphabet or among the digits. */
function isPattern(text: string): boolean {
  if (text === '') return true
  if (isRepeated(text)) return true
  if (isDate(text)) return true
  const unshifted = [...text]
    .map((sign) => (shifted.includes(sign) ? String((shifted.indexOf(sign) + 1) % 10) : sign))
    .join('')
  return isOfRuns(unshifted)
}

/** True if a unit of one to four characters repeats to fill the text, at least twice. Up to two characters of a text of eight or more may be left over. */
function isRepeated(text: string): boolean {
  const signs = [...text]
  return [1, 2, 3, 4].some((size) => {
    const other = signs.findIndex((sign, at) => sign !== signs[at % size])
    const times = Math.floor((other === -1 ? signs.length : other) / size)
    const left = signs.length - times * size
    return times > 1 && (left === 0 || (text.length >= 8 && left <= 2))
  })
}

/** True if runs of neighbouring characters fill the text: runs of at least three characters, or of at least two digits. */
function isOfRuns(text: string): boolean {
  let left = text
  while (left !== '') {
    let length = 0
    for (let taken = 2; taken <= left.length; taken += 1) {
      const piece = left.slice(0, taken)
      if (runs.some((run) => run.includes(piece)) || /^(.)\1+$/u.test(piece)) length = taken
      else break
    }
    if (length < 3 && !(length === 2 && /^(?:\d\d|(.)\1)/.test(left))) return false
    left = left.slice(length)
  }
  return true
}

const day = '(?:0[1-9]|[12]\\d|3[01])'
const month = '(?:0[1-9]|1[0-2])'
const year = '(?:19|20)\\d\\d'
const date = new RegExp(
  `^(?:${day}[./-]?${month}[./-]?${year}|${month}[./-]?${day}[./-]?${year}|${year}[./-]?${month}[./-]?${day})$`,
)
const isDate = (text: string): boolean => date.test(text)
