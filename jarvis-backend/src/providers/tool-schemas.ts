import type { ModelRequest, ToolSpec } from '../agent/model.ts'
import { modelSchema, type OptionalKeyword, optionalKeywords } from '../lib/model-schema.ts'
import type { Learned } from './learned.ts'

const emptyObject = 'schema:empty object'

/**
 * The tools as one server takes them for one model: schemas in the plain part, without the keywords that it refused, and without the tools
 * whose schema it refused.
 */
export function createToolSchemas(learned: Learned) {
  let made = new WeakMap<ModelRequest['tools'], ToolSpec[]>()

  function toolsOf(tools: ModelRequest['tools']): ToolSpec[] {
    const known = made.get(tools)
    if (known !== undefined) return known
    const without = new Set(optionalKeywords.filter((keyword) => learned.has(`schema:${keyword}`)))
    const noEmpty = learned.has(emptyObject)
    const fit = tools
      .filter((tool) => !learned.has(partOf(tool)))
      .map((tool) => {
        const inputSchema = modelSchema(tool.inputSchema, without)
        return { ...tool, inputSchema: noEmpty ? (withoutEmpty(inputSchema) as Record<string, unknown>) : inputSchema }
      })
    made.set(tools, fit)
    return fit
  }

  return {
    /** The request with its tools as the server takes them. */
    fit(request: ModelRequest): ModelRequest {
      const tools = toolsOf(request.tools)
      const { toolChoice, ...rest } = request
      const isThere = toolChoice === 'any' ? tools.length > 0 : tools.some(({ name }) => name === toolChoice?.name)
      return { ...rest, tools, ...(toolChoice !== undefined && isThere && { toolChoice }) }
    },
    /**
     * Leaves out what a refusal names: a keyword, or else a tool. Where it names neither but is about schemas, all optional keywords.
     * @param said the server's answer with 4xx @returns false where there is nothing more to leave out
     */
    leaveOut(said: string, { tools: given }: Pick<ModelRequest, 'tools'>): boolean {
      const sent = toolsOf(given)
      const learn = (parts: readonly string[], tool?: string) => {
        for (const part of parts) learned.add(part, tool)
        made = new WeakMap()
        return parts.length > 0
      }
      if (sent.length === 0 || /messages[.[]\d/.test(said)) return false
      if (/non-?empty for object|empty object/i.test(said) && !learned.has(emptyObject)) return learn([emptyObject])
      const used = keywordsIn(sent)
      const named = optionalKeywords.find((keyword) => used.has(keyword) && names(said, keyword))
      if (named !== undefined) return learn([`schema:${named}`])
      const tool = toolIn(said, sent)
      const own = given.find(({ name }) => name === tool?.name)
      if (own !== undefined) return learn([partOf(own)], own.name)
      return /grammar|json.?schema|schema conversion|input_schema/i.test(said)
        ? learn([...used].map((keyword) => `schema:${keyword}`))
        : false
    },
  }
}

/** A tool with the text of its schema: one that changes is tried again. */
const partOf = ({ name, inputSchema }: ToolSpec) => `tool:${name}:${digest(JSON.stringify(inputSchema))}`

function digest(text: string): string {
  let hash = 2_166_136_261
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 16_777_619)
  return (hash >>> 0).toString(36)
}

/** Whether a refusal names a keyword: the rare words anywhere, those that are English as a name alone. */
const names = (said: string, keyword: OptionalKeyword) => {
  if (keyword === 'anyOf' || keyword === 'additionalProperties') return said.includes(keyword)
  return marks.some((mark) => ends.some((end) => said.includes(`${mark}${keyword}${end}`)))
}
const marks = ['"', "'", '`', '.']
const ends = ['"', "'", '`', '\\"', '[']

function toolIn(said: string, sent: readonly ToolSpec[]): ToolSpec | undefined {
  const index =
    /function_?declarations\[(\d+)\]/i.exec(said)?.[1] ??
    /\btools(?:\.(\d+)\.|\[(\d+)\])/
      .exec(said)
      ?.slice(1)
      .find((found) => found !== undefined)
  if (index !== undefined) return sent[Number(index)]
  // Of a refusal that speaks of something else, the name of a tool says nothing.
  if (!/schema|grammar|parameters|declaration/i.test(said)) return undefined
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
