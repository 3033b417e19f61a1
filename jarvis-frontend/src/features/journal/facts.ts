import type { JournalEntry } from 'protocol'
import { argumentText } from '../../lib/argument-text.ts'
import { capital, duration, exactTime } from '../../lib/format.ts'
import { actorOf, type Body, lineOf, objectIn, spoken, text } from './line.ts'

/** A fact of an entry in words: `['Asked by', 'mira']`. Its texts come from other people. */
export type Fact = readonly [name: string, value: string]

/** Keys that other facts name, or that only the exact entry shows. */
const unnamed = new Set([
  ...['kind', 'toolInput', 'target', 'tier', 'by', 'requestedBy', 'decision', 'note', 'outcome', 'durationMs'],
  ...['summary', 'result', 'change', 'event', 'toolName', 'receipt', 'data', 'effects', 'preview', 'undo', 'rule'],
])

/** Returns the facts of an entry in words, in the order of reading: time, deed, asker, target, arguments, outcome. @param nameOf a person's name by id */
export function factsOf(entry: JournalEntry, nameOf: (id: string) => string): Fact[] {
  const { kind, at, body } = entry
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return [['When', exactTime(at)]]
  const known = body as Body
  const { word, outcome } = lineOf(entry, nameOf)
  const asker = known.requestedBy === undefined ? '' : actorOf({ requestedBy: known.requestedBy }, nameOf)
  const target = objectIn(known.target)
  const name = text(target.name)
  const facts: Fact[] = [
    ['When', exactTime(at)],
    ['What', [word, text(known.toolName)].filter(Boolean).join(', ')],
    ['Asked by', asker],
    [kind === 'decision' ? 'Decided by' : 'By', nameOf(text(known.by))],
    ['On', name === '' || text(target.id).endsWith(`/${name}`) ? text(target.id) : `${text(target.id)} (${name})`],
    ...Object.entries(objectIn(known.toolInput)).map(
      ([key, value]): Fact => [`“${key}”`, typeof value === 'string' ? value : JSON.stringify(value)],
    ),
    ['Outcome', outcome],
    ['Took', typeof known.durationMs === 'number' ? duration(known.durationMs) : ''],
    ...Object.entries(known)
      .filter(([key]) => !unnamed.has(key) && !/(?:Hash|Id|^id)$/.test(key))
      .map(([key, value]): Fact => [wordOf(key), spelled(value)]),
  ]
  return facts.filter(([, value]) => value !== '')
}

/** `goesBackAt` → `Goes back at`. */
const wordOf = (key: string) => capital(key.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`))

/** A value in words; an object or list of objects as `key value` pairs. Empty: nothing to say. */
function spelled(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return value.map(spelled).filter(Boolean).join(', ')
  if (typeof value === 'object' && value !== null) return argumentText(value as Body)
  return spoken(value)
}
