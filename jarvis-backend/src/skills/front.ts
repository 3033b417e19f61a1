import type { SkillFault } from 'protocol'
import { named } from 'redaction/visible'
import { isAlias, isMap, isScalar, isSeq, parseDocument, visit, type YAMLMap } from 'yaml'
import { hiddenIn } from './hidden.ts'

/** The front matter of a SKILL.md. Name and description are empty if it has a fault. */
export type Front = {
  name: string
  description: string
  license?: string
  compatibility?: string
  metadata: Record<string, string>
  /** The tools that `allowed-tools` names. */
  wants: string[]
  /** Keys that JARVIS does not use. */
  others: string[]
}
export type Parsed = { front: Front; body: string; faults: SkillFault[] }

export const skillFile = 'SKILL.md'
const nameForm = /^[a-z0-9]+(?:-[a-z0-9]+)*$/
const longestName = 64
const longestDescription = 1_024
const longestNote = 500
const mostKeys = 50
const known = ['name', 'description', 'license', 'compatibility', 'metadata', 'allowed-tools'] as const

/** True if a text may be a skill’s name: 1 to 64 characters of a-z, 0-9 and single hyphens between them. */
export const isSkillName = (name: string): boolean => name.length <= longestName && nameForm.test(name)

/** Parses a SKILL.md. Never throws. @param folder the name of the folder that it stands in */
export function parseSkill(text: string, folder: string): Parsed {
  const faults: SkillFault[] = []
  const say = (message: string, line = 1) => void faults.push({ path: skillFile, line, message })
  const front: Front = { name: '', description: '', metadata: {}, wants: [], others: [] }
  const lines = text.split('\n')
  const end = lines[0]?.trimEnd() === '---' ? lines.findIndex((line, at) => at > 0 && line.trimEnd() === '---') : -1
  if (end < 0) {
    say('It must begin with a line ---, then name and description, then a line ---.')
    return { front, body: '', faults }
  }
  const body = lines
    .slice(end + 1)
    .join('\n')
    .trim()
  const map = mapOf(lines.slice(1, end), say)
  if (map !== undefined) readFront(map, { folder, front, say, lineOf: (key) => lineOf(lines, key) })
  if (map !== undefined && body === '') say('There is nothing below the front matter.', end + 1)
  return { front, body, faults }
}

type Say = (message: string, line?: number) => void

/** Parses the front matter as YAML. If that fails, quotes values that contain an unquoted colon and parses again. */
function mapOf(lines: readonly string[], say: Say): YAMLMap | undefined {
  const parse = (from: readonly string[]) =>
    parseDocument(from.join('\n'), { prettyErrors: false, version: '1.2', schema: 'core' })
  let document = parse(lines)
  if (document.errors.length > 0) {
    const mended = parse(lines.map(quoted))
    if (mended.errors.length === 0) document = mended
  }
  const [error] = document.errors
  if (error !== undefined) {
    const line = lines.join('\n').slice(0, error.pos[0]).split('\n').length + 1
    say(`The front matter is not YAML: ${error.message}`, line)
    return undefined
  }
  let isPlain = true
  visit(document, {
    Node: (_, node) => {
      if (isAlias(node) || node.anchor !== undefined || node.tag !== undefined) isPlain = false
    },
  })
  if (!isPlain) say('The front matter may have no anchors, references or tags: write it out.')
  else if (!isMap(document.contents)) say('The front matter must be keys such as name and description.')
  else if (document.contents.items.length > mostKeys) say(`The front matter has over ${mostKeys} keys.`)
  else return document.contents as YAMLMap
  return undefined
}

/** Returns a line with its value in quotes, if the value contains a colon that would break YAML: `key: a: b` becomes `key: "a: b"`. */
const quoted = (line: string) => {
  const [, key, value] = /^([A-Za-z][\w-]*):[ \t]+([^"'|>[{&*!%@`\s].*)$/.exec(line) ?? []
  return value !== undefined && /:(?:\s|$)/.test(value) ? `${key}: ${JSON.stringify(value.trimEnd())}` : line
}

function readFront(
  map: YAMLMap,
  { folder, front, say, lineOf }: { folder: string; front: Front; say: Say; lineOf(key: string): number },
) {
  for (const { key, value } of map.items) {
    const name = isScalar(key) ? String(key.value) : ''
    const text = isScalar(value) && value.value !== null ? String(value.value).trim() : undefined
    const line = lineOf(name)
    // A quoted text may contain an escape for an invisible character.
    const [unseen] = hiddenIn(name + (text ?? ''))
    if (unseen !== undefined) say(`${named(name)} holds a character that cannot be seen, ${unseen.code}.`, line)
    else if (name === 'name') front.name = text ?? ''
    else if (name === 'description') front.description = text ?? ''
    else if (name === 'license') front.license = (text ?? '').slice(0, longestNote)
    else if (name === 'compatibility') {
      if (text === undefined || text.length > longestNote)
        say(`compatibility has 1 to ${longestNote} characters.`, line)
      else front.compatibility = text
    } else if (name === 'metadata') front.metadata = metadataOf(value, say, line)
    else if (name === 'allowed-tools') front.wants = wantsOf(value, say, line)
    else if (!known.includes(name as (typeof known)[number])) front.others.push(named(name))
  }
  checkName({ name: front.name, folder }, say, lineOf('name'))
  checkDescription(front.description, say, lineOf('description'))
}

function checkName({ name, folder }: { name: string; folder: string }, say: Say, line: number) {
  if (name === '') say('name is missing.', line)
  else if (!isSkillName(name)) say('name has 1 to 64 of a-z, 0-9 and -, with no - at an end and no two in a row.', line)
  else if (name !== folder) say(`name is ${name} and the folder is ${named(folder)}: they must be equal.`, line)
}

function checkDescription(description: string, say: Say, line: number) {
  const { length } = description
  if (length === 0) say('description is missing: say what the skill does and when it is for.', line)
  else if (length > longestDescription)
    say(`description has ${length} characters; it may have ${longestDescription}.`, line)
  if (/[<>]/.test(description)) say('description may have no < and no >: a model could take them for marks.', line)
}

function metadataOf(value: unknown, say: Say, line: number): Record<string, string> {
  if (!isMap(value)) {
    say('metadata must be keys with texts.', line)
    return {}
  }
  const pairs = value.items.slice(0, mostKeys).map(({ key, value: of }) => {
    const text = isScalar(of) ? String(of.value ?? '') : ''
    if (!isScalar(of)) say('metadata must be keys with texts.', line)
    const [unseen] = hiddenIn(String(isScalar(key) ? key.value : '') + text)
    if (unseen !== undefined) say(`metadata holds a character that cannot be seen, ${unseen.code}.`, line)
    return [isScalar(key) ? String(key.value) : '', text.slice(0, longestNote)] as const
  })
  return Object.fromEntries(pairs.filter(([key]) => !['__proto__', 'constructor', 'prototype'].includes(key)))
}

function wantsOf(value: unknown, say: Say, line: number): string[] {
  const names = isSeq(value)
    ? value.items.map((item) => (isScalar(item) ? String(item.value) : ''))
    : isScalar(value) && value.value !== null
      ? (String(value.value).match(/(?:\([^()]*\)|[^\s,])+/g) ?? [])
      : undefined
  if (names === undefined) say('allowed-tools must be names of tools.', line)
  if (names?.some((name) => hiddenIn(name).length > 0))
    say('allowed-tools holds a character that cannot be seen.', line)
  return (names ?? []).filter((name) => name !== '').slice(0, mostKeys)
}

function lineOf(lines: readonly string[], key: string): number {
  const at = lines.findIndex((line) => line.startsWith(`${key}:`))
  return at < 0 ? 1 : at + 1
}
