import { attachedServerOf } from 'protocol'
import type { ModelRequest, ToolSpec } from '../agent/model.ts'
import { modelSchema, type OptionalKeyword, optionalKeywords } from '../lib/model-schema.ts'
import type { Learned, LeftOut } from './learned.ts'
import { createSuspects } from './suspects.ts'

const emptyObject = 'schema:empty object'
const untyped = 'schema:untyped'
/** With the most characters of a tool's description. */
const description = 'schema:description '
/** With the most tools of a request. */
const most = 'tools:most '
/** So many tools are left out one by one before plainer schemas are tried, and before the others of the same attached server go. */
const [namedBefore, mostNamed] = [3, 10]
/** Most tools that are named to a person beside the one that was refused. */
const mostListed = 20

/**
 * The tools as one server takes them for one model: schemas in the plain part, without the keywords that it refused, and without the tools
 * whose schema it refused.
 */
export function createToolSchemas(learned: Learned) {
  let made = new WeakMap<ModelRequest['tools'], ToolSpec[]>()
  let version = 0
  const sentAt = new WeakMap<object, number>()
  const suspects = createSuspects()
  /** Parts that were left out without being named. They are kept where that helped. */
  const guessed: string[] = []
  /** Tools that were named since the server took a request. */
  let namedTools = 0
  const isOut = (part: string) => guessed.includes(part) || learned.has(part)
  const changed = () => {
    made = new WeakMap()
    version += 1
  }
  /** @param leftOut said once of all these parts */
  const learn = (parts: readonly string[], leftOut?: LeftOut) => {
    for (const [i, part] of parts.entries()) learned.add(part, i === 0 ? leftOut : undefined)
    changed()
    return parts.length > 0
  }
  /** The server's refusal of the tool that is searched for. */
  let whyUnnamed = ''
  const leaveOutTool = (name: string | undefined, given: ModelRequest['tools'], why: string) => {
    const own = given.find((tool) => tool.name === name)
    return own !== undefined && learn([partOf(own)], { tool: own.name, why })
  }
  /** Tries the plainest schemas. @returns false where they were sent */
  const guess = (used: ReadonlySet<OptionalKeyword>) => {
    const keywords = [...used].map((keyword) => `schema:${keyword}`)
    const parts = keywords.length > 0 ? keywords : [untyped, emptyObject].filter((part) => !isOut(part))
    guessed.push(...parts)
    changed()
    return parts.length > 0
  }
  const limit = (of: string) => Number(learned.find(of)?.slice(of.length) ?? Number.POSITIVE_INFINITY)

  function toolsOf(tools: ModelRequest['tools']): ToolSpec[] {
    const known = made.get(tools)
    if (known !== undefined) return known
    const without = new Set(optionalKeywords.filter((keyword) => isOut(`schema:${keyword}`)))
    const longest = limit(description)
    const fit = tools
      .filter((tool) => !learned.has(partOf(tool)) && !suspects.isOut(tool.name))
      .slice(0, limit(most))
      .map((tool) => {
        const plain = modelSchema(tool.inputSchema, without)
        const filled = isOut(emptyObject) ? withoutEmpty(plain) : plain
        return {
          ...tool,
          description: shortened(tool.description, longest),
          inputSchema: (isOut(untyped) ? typed(filled) : filled) as Record<string, unknown>,
        }
      })
    made.set(tools, fit)
    return fit
  }

  return {
    /** The request with its tools as the server takes them. */
    fit(request: ModelRequest): ModelRequest {
      const tools = toolsOf(request.tools)
      sentAt.set(request, version)
      const { toolChoice, ...rest } = request
      const isThere = toolChoice === 'any' ? tools.length > 0 : tools.some(({ name }) => name === toolChoice?.name)
      return { ...rest, tools, ...(toolChoice !== undefined && isThere && { toolChoice }) }
    },
    /** The server took a request with these tools. */
    taken({ tools }: Pick<ModelRequest, 'tools'>): void {
      if (tools.length === 0) return
      namedTools = 0
      for (const part of guessed.splice(0)) learned.add(part)
      const { culprit, isOther } = suspects.cleared(toolsOf(tools).map(({ name }) => name))
      if (isOther) changed()
      leaveOutTool(culprit, tools, whyUnnamed)
    },
    /**
     * Leaves out what a refusal names: a keyword, or else a tool. Where it names neither but is about schemas: all optional keywords, then the
     * attached tools, of which those come back with the next requests that the server takes.
     * @param said the server's answer with 4xx @param why the same in a sentence @returns false where there is nothing more to leave out
     */
    leaveOut(said: string, request: Pick<ModelRequest, 'tools'>, why = said): boolean {
      const { tools: given } = request
      const sent = toolsOf(given)
      if (sent.length === 0 || /messages[.[]\d/.test(said)) return false
      // Another request has learned something since this one was sent.
      if ((sentAt.get(request) ?? version) !== version) return true
      const number = numberIn(said)
      if (
        isAboutLength(said) &&
        number !== undefined &&
        number >= leastLength &&
        sent.some((tool) => tool.description.length > number)
      )
        return learn([`${description}${number}`])
      if (isAboutCount(said) && number !== undefined && number < sent.length) {
        const [next, ...others] = sent.slice(number)
        return learn([`${most}${number}`], { tool: `${next?.name}${andMore(others.length)}`, why })
      }
      if (/non-?empty for object|empty object/i.test(said) && !isOut(emptyObject)) return learn([emptyObject])
      if (isAboutType(said) && !isOut(untyped)) return learn([untyped])
      const used = keywordsIn(sent)
      const named = optionalKeywords.find((keyword) => used.has(keyword) && names(said, keyword))
      if (named !== undefined) return learn([`schema:${named}`])
      const attached = sent.map(({ name }) => name).filter((name) => attachedServerOf(name) !== undefined)
      const tool = toolIn(said, sent)?.name
      if (tool !== undefined) {
        namedTools += 1
        const isOwn = attachedServerOf(tool) === undefined
        if ((isOwn || namedTools === namedBefore) && guess(used)) return true
        if (isOwn || namedTools < mostNamed) return leaveOutTool(tool, given, why)
        // The others of its server go too, so that the question is answered.
        const ofServer = attachedServerOf(tool)
        const out = given.filter(({ name }) => attached.includes(name) && attachedServerOf(name) === ofServer)
        const others = out.map(({ name }) => name).filter((name) => name !== tool)
        return learn(out.map(partOf), {
          tool: `${[tool, ...others.slice(0, mostListed)].join(', ')}${andMore(others.length - mostListed)}`,
          why,
        })
      }
      if (!isAboutSchemas(said)) return false
      if (!suspects.isSearching() && guess(used)) return true
      // It did not help.
      guessed.length = 0
      const found = suspects.refused(attached)
      whyUnnamed = why
      leaveOutTool(found.culprit, given, why)
      changed()
      return found.isWorthAsking
    },
  }
}

/** True if a refusal is about schemas or tools, or names no cause. False if it is about calls and results. */
const isAboutSchemas = (said: string) =>
  (/grammar|jinja|json.?schema|schema conversion|input_schema|\btools?\b|function_?declarations/i.test(said) ||
    /schema.{0,80}(?:function|parameter)|(?:function|parameter).{0,80}schema/i.test(said) ||
    /contains an invalid argument|malformed input|\bbad request\b/i.test(said)) &&
  !/\btool[ _](?:messages?|calls?|results?|choice|use)|\broles?\b/i.test(said)
/** Not a limit of one tool, which is named by its place. */
const isAboutCount = (said: string) =>
  /tools|functions/i.test(said) &&
  !placed.test(said) &&
  !/character|string|depth|nest|level|propert|enum/i.test(said) &&
  /array too long|too many|number of|at most|more than|up to|exceed/i.test(said)
const isAboutLength = (said: string) =>
  /description/i.test(said) && /too long|at most|maximum|max_?length|longer|exceed|less than/i.test(said)
/** A value of any type, or a list of anything. */
const isAboutType = (said: string) =>
  /specify the schema type|(?:must|should) have a ['"]?type|type: (?:must be specified|missing field)|unspecified type|items: missing field|type.{0,20} is missing|missing.{0,20}['"]type['"]/i.test(
    said,
  ) ||
  (/jinja|template/i.test(said) && /undefined|nullvalue|nonetype|filter/i.test(said))

/** A tool by its place in the request. */
const placed = /\b(?:tools|functions|function_?declarations)(?:\.\d+|\[\d+\])/i
/** No server has a limit below this: a smaller number is of something else. */
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

/** A tool with the text of its schema: one that changes is tried again. */
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
  // AWS counts from 1.
  const member = /tools\.(\d+)\.member/.exec(said)?.[1]
  if (member !== undefined) return sent[Number(member) - 1]
  const index =
    /function_?declarations\[(\d+)\]/i.exec(said)?.[1] ??
    /\btools(?:\.(\d+)\.|\[(\d+)\])/
      .exec(said)
      ?.slice(1)
      .find((found) => found !== undefined)
  if (index !== undefined) return sent[Number(index)]
  // In a refusal about something else, a tool's name proves nothing.
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

/** For servers that refuse an object without properties: such a tool takes nothing, and such a value is of any type. */
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

/** For servers that want a type for each value: one of any type is a text. */
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
