import { isAlias, isMap, isNode, isScalar, LineCounter, type Node, type Pair, parseDocument, visit } from 'yaml'
import type { z } from 'zod'

/** `line` and `column` count from 1; `message` names what is wrong and what to write. */
export type YamlProblem = { line: number; column: number; message: string }
export type ParsedYaml<T> = { ok: true; value: T } | { ok: false; problems: YamlProblem[] }
/** A fault at a path of keys and indices in the file. `key`: set if the key itself is wrong, and not its value. */
export type Finding = { path: readonly PropertyKey[]; key?: string; message: string }

const said = new Map<string, string>([
  ['DUPLICATE_KEY', 'This key stands here twice; keep one.'],
  ['MULTIPLE_DOCS', 'A second document begins here; put all into one, without ---.'],
])
export const maxYamlBytes = 256 * 1024
/** Keys that have a special meaning in JavaScript. */
const unsafeKeys = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * Parses a YAML file that people write. Tags, anchors, references and further documents are not allowed. Problems are in the order of lines. Never
 * throws.
 * @param more checks that the schema cannot express; gets the value as it is in the file
 */
export function parseYaml<T extends z.ZodType>(
  text: string,
  schema: T,
  more: (given: unknown) => Finding[] = () => [],
): ParsedYaml<z.output<T>> {
  try {
    return parse(text, schema, more)
  } catch {
    return refused([{ line: 1, column: 1, message: 'The file cannot be read: it is nested too deeply.' }])
  }
}

function parse<T extends z.ZodType>(
  text: string,
  schema: T,
  more: (given: unknown) => Finding[],
): ParsedYaml<z.output<T>> {
  if (Buffer.byteLength(text) > maxYamlBytes)
    return refused([{ line: 1, column: 1, message: 'The file is over 256 kB.' }])
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, version: '1.2', schema: 'core' })
  const at = (offset: number, message: string): YamlProblem => {
    const { line, col } = lines.linePos(offset)
    return { line, column: col, message }
  }
  const problems = [...document.errors, ...document.warnings].map(({ pos, code, message }) =>
    at(pos[0], said.get(code) ?? `This is not YAML: ${message.replace(/\.$/, '')}.`),
  )
  const say = (node: unknown, message: string) => problems.push(at(offsetOf(node) ?? 0, message))
  visit(document, {
    Alias: (_, node) => void say(node, 'References (*name) are not read here; write it out.'),
    Node: (_, node) => {
      if (!isAlias(node) && node.anchor !== undefined) say(node, 'Anchors (&name) are not read here; write it out.')
      if (node.tag !== undefined) say(node, `Tags (${node.tag}) are not read here; leave it out.`)
    },
    Pair: (_, { key }) => {
      if (!isScalar(key) || typeof key.value !== 'string') say(key, 'A key must be text; put it in quotes.')
      else if (unsafeKeys.has(key.value)) say(key, `${key.value} cannot be a name here; choose another.`)
    },
  })
  if (problems.length > 0) return refused(problems)

  const given: unknown = withoutEmpty(document.toJS({ maxAliasCount: 0 }))
  const parsed = schema.safeParse(given)
  const findings = [
    ...more(given),
    ...(parsed.success ? [] : parsed.error.issues.flatMap((issue) => findingsOf(issue, given))),
  ]
  if (parsed.success && findings.length === 0) return { ok: true, value: parsed.data }
  // A finding about the same key replaces the schema’s message that the key is not known.
  const told = new Set<string>()
  const first = findings.filter(({ path, key }) => {
    const place = JSON.stringify([path.map(String), key])
    return key === undefined || (!told.has(place) && told.add(place))
  })
  return refused(
    first.map(({ path, key, message }) => at(locate(document.contents, path, key), `${nameOf(path, key)}${message}.`)),
  )
}

const refused = (problems: YamlProblem[]) => ({
  ok: false as const,
  problems: problems.toSorted((a, b) => a.line - b.line || a.column - b.column),
})

/** Removes sections that are empty because all their lines are commented out. */
function withoutEmpty(value: unknown): unknown {
  if (value === null) return {}
  if (typeof value !== 'object' || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([, section]) => section !== null))
}

function findingsOf(issue: z.core.$ZodIssue, given: unknown): Finding[] {
  const { path, message } = issue
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => ({ path, key, message }))
  if (issue.code === 'invalid_key')
    return [{ path: path.slice(0, -1), key: String(path.at(-1)), message: issue.issues[0]?.message ?? message }]
  const isMissing = path.length > 0 && valueAt(given, path) === undefined
  return [{ path, message: isMissing ? `is missing; it ${message}` : message }]
}

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((at, part) => (at as Record<PropertyKey, unknown> | undefined)?.[part], value)

/** Formats a path for a message, such as `rules[1].tools `; `The file ` for the file itself. */
function nameOf(path: readonly PropertyKey[], key: string | undefined): string {
  const all = key === undefined ? path : [...path, key]
  const name = all.map((part) => (typeof part === 'number' ? `[${part + 1}]` : `.${String(part)}`)).join('')
  return name === '' ? 'The file ' : `${name.replace(/^\./, '')} `
}

/** Returns the offset in the file of the node at `path`, or of its nearest parent that exists. */
function locate(root: Node | null, path: readonly PropertyKey[], key: string | undefined): number {
  let node: unknown = root
  let offset = offsetOf(root) ?? 0
  for (const part of key === undefined ? path : [...path, key]) {
    if (isMap(node)) {
      const pair: Pair | undefined = node.items.find(({ key: name }) => isScalar(name) && name.value === part)
      if (pair === undefined) return offset
      offset = offsetOf(pair.key) ?? offset
      node = pair.value
    } else if (isNode(node) && 'items' in node) {
      node = (node.items as unknown[])[Number(part)]
      offset = offsetOf(node) ?? offset
    } else {
      return offset
    }
  }
  return (key === undefined && isScalar(node) ? offsetOf(node) : undefined) ?? offset
}

const offsetOf = (node: unknown): number | undefined => (isNode(node) ? node.range?.[0] : undefined)
