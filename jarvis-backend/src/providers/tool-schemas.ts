import { attachedServerOf } from 'protocol'
import type { ModelRequest, ToolSpec } from '../agent/model.ts'
import { modelSchema, type OptionalKeyword, optionalKeywords } from '../lib/model-schema.ts'
import type { Learned, LeftOut } from './learned.ts'
import { Suspects } from './suspects.ts'

const emptyObject = 'schema:empty object'
const untyped = 'schema:untyped'
/** Prefix of a learned part: the maximum length of a tool's description, characters. */
const description = 'schema:description '
/** Prefix of a learned part: the maximum number of tools in a request. */
const most = 'tools:most '
/**
 * Numbers of refused tools since the last success. At `namedBefore` tools, plainer schemas are tried. At `mostNamed` tools, all other tools of the
 * same attached server are left out too.
 */
const [namedBefore, mostNamed] = [3, 10]
/** Maximum number of tools that a message names after the refused one. */
const mostListed = 20

/**
 * Adapts the tools to one server and one model. Schemas keep only the plain part of JSON Schema, without the keywords that the server refused. Tools
 * whose schema it refused are left out.
 */
export class ToolSchemas {
  readonly #learned: Learned
  #made = new WeakMap<ModelRequest['tools'], ToolSpec[]>()
  #version = 0
  readonly #sentAt = new WeakMap<object, number>()
  readonly #suspects = new Suspects()
  /** Parts that are left out although the refusal did not name them. They are learned if the server accepts the next request. */
  #guessed: string[] = []
  /** Number of tools that refusals named since the server last accepted a request. */
  #namedTools = 0
  /** The server's refusal that started the search for a tool that it did not name. */
  #whyUnnamed = ''

  constructor(learned: Learned) {
    this.#learned = learned
  }

  /** Returns the request with its tools in the form that the server accepts. */
  fit(request: ModelRequest): ModelRequest {
    const tools = this.#toolsOf(request.tools)
    this.#sentAt.set(request, this.#version)
    const { toolChoice, ...rest } = request
    const isThere = toolChoice === 'any' ? tools.length > 0 : tools.some(({ name }) => name === toolChoice?.name)
    return { ...rest, tools, ...(toolChoice !== undefined && isThere && { toolChoice }) }
  }

  /** Notes that the server accepted a request with these tools. */
  taken({ tools }: Pick<ModelRequest, 'tools'>): void {
    if (tools.length === 0) return
    this.#namedTools = 0
    for (const part of this.#guessed.splice(0)) this.#learned.add(part)
    const { culprit, isOther } = this.#suspects.cleared(this.#toolsOf(tools).map(({ name }) => name))
    if (isOther) this.#changed()
    this.#leaveOutTool(culprit, { tools, why: this.#whyUnnamed })
  }

  /**
   * Leaves out the part that a refusal names: a keyword, or else a tool. If the refusal names neither but is about schemas, leaves out all optional
   * keywords, then the attached tools. Attached tools that are not at fault are sent again after the next requests that the server accepts.
   * @param said the server's answer with 4xx @param why the refusal as a sentence @returns false if there is nothing more to leave out
   */
  leaveOut(said: string, request: Pick<ModelRequest, 'tools'>, why = said): boolean {
    const { tools } = request
    const sent = this.#toolsOf(tools)
    if (sent.length === 0 || /messages[.[]\d/.test(said)) return false
    // Another request has changed the tools since this one was sent, so this one is worth another try.
    if ((this.#sentAt.get(request) ?? this.#version) !== this.#version) return true
    const limited = limitIn(said, sent)
    if (limited !== undefined) {
      const { part, over } = limited
      return this.#learn([part], over === undefined ? undefined : { tool: over, why })
    }
    if (/non-?empty for object|empty object/i.test(said) && !this.#isOut(emptyObject)) return this.#learn([emptyObject])
    if (isAboutType(said) && !this.#isOut(untyped)) return this.#learn([untyped])
    const used = keywordsIn(sent)
    const named = optionalKeywords.find((keyword) => used.has(keyword) && names(said, keyword))
    if (named !== undefined) return this.#learn([`schema:${named}`])
    const tool = toolIn(said, sent)?.name
    if (tool !== undefined) return this.#leaveOutNamed(tool, { tools, why, sent, used })
    if (!isAboutSchemas(said)) return false
    if (!this.#suspects.isSearching() && this.#guess(used)) return true
    // Leaving out the guessed parts did not help.
    this.#guessed = []
    const found = this.#suspects.refused(sent.map(({ name }) => name).filter(isAttached))
    this.#whyUnnamed = why
    this.#leaveOutTool(found.culprit, { tools, why })
    this.#changed()
    return found.isWorthAsking
  }

  #toolsOf(tools: ModelRequest['tools']): ToolSpec[] {
    const known = this.#made.get(tools)
    if (known !== undefined) return known
    const without = new Set(optionalKeywords.filter((keyword) => this.#isOut(`schema:${keyword}`)))
    const longest = this.#limit(description)
    const fit = tools
      .filter((tool) => !this.#learned.has(partOf(tool)) && !this.#suspects.isOut(tool.name))
      .slice(0, this.#limit(most))
      .map((tool) => {
        const plain = modelSchema(tool.inputSchema, without)
        const filled = this.#isOut(emptyObject) ? withoutEmpty(plain) : plain
        return {
          ...tool,
          description: shortened(tool.description, longest),
          inputSchema: (this.#isOut(untyped) ? typed(filled) : filled) as Record<string, unknown>,
        }
      })
    this.#made.set(tools, fit)
    return fit
  }

  /** Leaves out a tool that the server named. May try plainer schemas first. After many named tools, leaves out the whole attached server. */
  #leaveOutNamed(tool: string, { tools, why, sent, used }: Refused & { sent: ToolSpec[]; used: Keywords }): boolean {
    this.#namedTools += 1
    const server = attachedServerOf(tool)
    const isOwn = server === undefined
    if ((isOwn || this.#namedTools === namedBefore) && this.#guess(used)) return true
    if (isOwn || this.#namedTools < mostNamed) return this.#leaveOutTool(tool, { tools, why })
    // The other tools of the same server are left out too, so that the question gets an answer.
    const ofServer = new Set(sent.map(({ name }) => name).filter((name) => attachedServerOf(name) === server))
    const out = tools.filter(({ name }) => ofServer.has(name))
    const others = out.map(({ name }) => name).filter((name) => name !== tool)
    return this.#learn(out.map(partOf), {
      tool: `${[tool, ...others.slice(0, mostListed)].join(', ')}${andMore(others.length - mostListed)}`,
      why,
    })
  }

  #leaveOutTool(name: string | undefined, { tools, why }: Refused): boolean {
    const own = tools.find((tool) => tool.name === name)
    return own !== undefined && this.#learn([partOf(own)], { tool: own.name, why })
  }

  /** Tries the plainest schemas. @returns false if they were sent */
  #guess(used: Keywords): boolean {
    const keywords = [...used].map((keyword) => `schema:${keyword}`)
    const parts = keywords.length > 0 ? keywords : [untyped, emptyObject].filter((part) => !this.#isOut(part))
    this.#guessed.push(...parts)
    this.#changed()
    return parts.length > 0
  }

  /** @param leftOut the message about all these parts; reported once */
  #learn(parts: readonly string[], leftOut?: LeftOut): boolean {
    for (const [i, part] of parts.entries()) this.#learned.add(part, i === 0 ? leftOut : undefined)
    this.#changed()
    return parts.length > 0
  }

  #isOut(part: string): boolean {
    return this.#guessed.includes(part) || this.#learned.has(part)
  }

  #limit(of: string): number {
    return Number(this.#learned.find(of)?.slice(of.length) ?? Number.POSITIVE_INFINITY)
  }

  #changed(): void {
    this.#made = new WeakMap()
    this.#version += 1
  }
}

type Keywords = ReadonlySet<OptionalKeyword>

/** `tools`: the tools of the refused request. `why`: the refusal as a sentence. */
type Refused = { tools: ModelRequest['tools']; why: string }

const isAttached = (name: string) => attachedServerOf(name) !== undefined

/** The limit that a refusal names: of a description's length, or of the number of tools. `over`: the tools beyond it, for a person. */
function limitIn(said: string, sent: readonly ToolSpec[]): { part: string; over?: string } | undefined {
  const number = numberIn(said)
  if (number === undefined) return undefined
  const isTooLong = number >= leastLength && sent.some((tool) => tool.description.length > number)
  if (isAboutLength(said) && isTooLong) return { part: `${description}${number}` }
  if (!isAboutCount(said) || number >= sent.length) return undefined
  const [next, ...others] = sent.slice(number)
  return { part: `${most}${number}`, over: `${next?.name}${andMore(others.length)}` }
}

/** True if a refusal is about schemas or tools, or names no cause. False if it is about calls and results. */
const isAboutSchemas = (said: string) =>
  (/grammar|jinja|json.?schema|schema conversion|input_schema|\btools?\b|function_?declarations/i.test(said) ||
    /schema.{0,80}(?:function|parameter)|(?:function|parameter).{0,80}schema/i.test(said) ||
    /contains an invalid argument|malformed input|\bbad request\b/i.test(said)) &&
  !/\btool[ _](?:messages?|calls?|results?|choice|use)|\broles?\b/i.test(said)
/** True if a refusal is about the number of tools. A refusal about one tool names that tool by its index. */
const isAboutCount = (said: string) =>
  /tools|functions/i.test(said) &&
  !placed.test(said) &&
  !/character|string|depth|nest|level|propert|enum/i.test(said) &&
  /array too long|too many|number of|at most|more than|up to|exceed/i.test(said)
const isAboutLength = (said: string) =>
  /description/i.test(said) && /too long|at most|maximum|max_?length|longer|exceed|less than/i.test(said)
/** True if a refusal is about a value without a type, or about a list without a type of its items. */
const isAboutType = (said: string) =>
  /specify the schema type|(?:must|should) have a ['"]?type|type: (?:must be specified|missing field)|unspecified type|items: missing field|type.{0,20} is missing|missing.{0,20}['"]type['"]/i.test(
    said,
  ) ||
  (/jinja|template/i.test(said) && /undefined|nullvalue|nonetype|filter/i.test(said))

/** A tool by its place in the request. */
const placed = /\b(?:tools|functions|function_?declarations)(?:\.\d+|\[\d+\])/i
/** The smallest number in a refusal that counts as a limit on the length of a description: no server has a smaller one. */
const leastLength = 64

/** The limit that a refusal names. */
function numberIn(said: string): number | undefined {
  const plain = said.replace(/\[\d+\]|\.\d+\./g, ' ')
  const words = /maximum|at most|up to|more than|max\w*|limit\w*|exceeds?|allowed|less than or equal to|[>≤]/gi
  for (const { 0: word, index } of plain.matchAll(words)) {
    const after = plain.slice(index + word.length, index + word.length + 46)
    const [, found] = /^\D{0,40}(\d{1,6})\b/.exec(after) ?? []
    if (found !== undefined) return Number(found)
  }
  return undefined
}

const andMore = (count: number) => (count <= 0 ? '' : ` and ${count} more`)

const shortened = (text: string, longest: number) =>
  text.length <= longest ? text : `${text.slice(0, Math.max(0, longest - 1)).toWellFormed()}…`

/** The name of a learned part for a tool. It includes a digest of the schema, so a tool with a changed schema is tried again. */
const partOf = ({ name, inputSchema }: ToolSpec) => `tool:${name}:${digest(JSON.stringify(inputSchema))}`

function digest(text: string): string {
  let hash = 2_166_136_261
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 16_777_619)
  return (hash >>> 0).toString(36)
}

/** True if a refusal names a keyword. Keywords that are also English words count only if they are marked as a name. */
const names = (said: string, keyword: OptionalKeyword) => {
  if (keyword === 'anyOf' || keyword === 'additionalProperties')
    return said.includes(keyword) || said.includes(keyword.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
  return marks.some((mark) => ends.some((end) => said.includes(`${mark}${keyword}${end}`)))
}
const marks = ['"', "'", '`', '.']
const ends = ['"', "'", '`', '\\"', '[']

function toolIn(said: string, sent: readonly ToolSpec[]): ToolSpec | undefined {
  // AWS counts the tools from 1.
  const member = /tools\.(\d+)\.member/.exec(said)?.[1]
  if (member !== undefined) return sent[Number(member) - 1]
  const index =
    /function_?declarations\[(\d+)\]/i.exec(said)?.[1] ??
    /\btools(?:\.(\d+)\.|\[(\d+)\])/
      .exec(said)
      ?.slice(1)
      .find((found) => found !== undefined)
  if (index !== undefined) return sent[Number(index)]
  // In a refusal that is not about schemas, the name of a tool does not mean that the tool is at fault.
  if (!/schema|grammar|parameters|declaration|(?:invalid|unsupported|malformed) (?:tool|function)/i.test(said))
    return undefined
  return sent
    .filter(({ name }) => said.split(/[^\w-]+/).includes(name))
    .toSorted((one, other) => other.name.length - one.name.length)[0]
}

function keywordsIn(tools: readonly ToolSpec[]): Set<OptionalKeyword> {
  const found = new Set<OptionalKeyword>()
  const walk = (schema: unknown) => {
    if (typeof schema !== 'object' || schema === null) return
    for (const keyword of optionalKeywords) if (keyword in schema) found.add(keyword)
    const { properties, items, anyOf } = schema as Record<string, unknown>
    for (const part of Object.values(properties ?? {})) walk(part)
    walk(items)
    for (const part of Array.isArray(anyOf) ? anyOf : []) walk(part)
  }
  for (const { inputSchema } of tools) walk(inputSchema)
  return found
}

/**
 * Adapts a schema for servers that refuse an object without properties. A tool with such an input gets an empty schema, and a value of such a type
 * may be of any type.
 */
function withoutEmpty(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return schema
  const { properties, items, anyOf, ...rest } = schema as Record<string, unknown>
  if (rest.type === 'object' && Object.keys(properties ?? {}).length === 0)
    return rest.description === undefined ? {} : { description: rest.description }
  return {
    ...rest,
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties as object).map(([name, part]) => [name, withoutEmpty(part)]),
      ),
    }),
    ...(items !== undefined && { items: withoutEmpty(items) }),
    ...(Array.isArray(anyOf) && { anyOf: anyOf.map(withoutEmpty) }),
  }
}

/** Adapts a schema for servers that require a type for each value. A value of any type becomes a string. */
function typed(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return schema
  const { properties, items, anyOf, ...rest } = schema as Record<string, unknown>
  return {
    ...(rest.type === undefined && anyOf === undefined && { type: 'string' }),
    ...rest,
    ...(properties !== undefined && {
      properties: Object.fromEntries(Object.entries(properties as object).map(([name, part]) => [name, typed(part)])),
    }),
    ...(items !== undefined && { items: typed(items) }),
    ...(Array.isArray(anyOf) && { anyOf: anyOf.map(typed) }),
  }
}
