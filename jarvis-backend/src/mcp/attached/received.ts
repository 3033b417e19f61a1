import { isDeeperThan } from '../../lib/depth.ts'
import { visible } from './text.ts'

type Json = Record<string, unknown>
/** A request that waits for its answer. */
export type Asked = { id: string | number; method: string; params: Json }

/** Key in the `_meta` of a listed tool that cannot be used; its value is the reason. */
export const problemKey = 'jarvis/problem'
const noMethod = -32601
const internalError = -32603
const mostPages = 64
/** Maximum nesting depth of a message that is converted; a deeper message is passed on unchanged. */
export const deepest = 100
/** Maximum length of a block of an unknown kind that is shown as JSON, characters. */
const longestUnknown = 2_000

/**
 * Converts the messages of one server to the form of the specification before the SDK reads them. The SDK validates a whole list or answer at once,
 * so one invalid field would lose all of it. An invalid field is removed. An invalid tool stays in its list with `problemKey`.
 */
export class Received {
  readonly #asked = new Map<string, Asked>()
  readonly #pages = new Pages()
  #offersTools = true

  /** Records a message before it is sent. @returns the request in the message; undefined if it holds none */
  sending(value: unknown): Asked | undefined {
    if (!isRecord(value) || typeof value.method !== 'string') return undefined
    const params = isRecord(value.params) ? value.params : {}
    if (value.method === 'notifications/cancelled') this.#asked.delete(String(params.requestId))
    const { id, method } = value
    if (typeof id !== 'string' && typeof id !== 'number') return undefined
    const request = { id, method, params }
    this.#asked.set(String(id), request)
    if (method === 'tools/list') this.#pages.turn(params.cursor)
    return request
  }

  /** The names of the tools in the last list, over all pages. */
  toolNames(): readonly string[] {
    return this.#pages.names()
  }

  /**
   * Converts each message of a received value (one message or a batch) for the SDK.
   * @param only the pending request that an answer without an id belongs to
   */
  messages(value: unknown, only?: Asked): Json[] {
    const isDeep = isDeeperThan(value, deepest)
    return listOf(value).flatMap((one) => (isRecord(one) ? [isDeep ? one : this.#message(one, only)] : []))
  }

  #message(value: Json, only: Asked | undefined): Json {
    const { id, method, params } = value
    if (typeof method !== 'string') return this.#answer(value, only)
    const isRequest = typeof id === 'string' || typeof id === 'number'
    const kept = isRecord(params) ? withoutOddMeta(isRequest ? params : withoutNulls(params)) : undefined
    return { jsonrpc: '2.0', ...(isRequest && { id }), method, params: kept }
  }

  #answer(message: Json, only: Asked | undefined): Json {
    const { id, error, result } = message
    const isNamed = typeof id === 'string' || typeof id === 'number'
    const request = isNamed ? this.#asked.get(String(id)) : only
    if (request !== undefined) this.#asked.delete(String(request.id))
    const head = { jsonrpc: '2.0', ...(request !== undefined ? { id: request.id } : { id }) }
    const isError = !isNothing(error) || (error !== undefined && error !== null && isNothing(result))
    if (!isError) return { ...head, result: this.#resultOf(result, request) }
    const told = errorOf(error)
    if (request?.method === 'tools/list' && !this.#offersTools && told.code === noMethod)
      return { ...head, result: this.#pages.page([], undefined) }
    return { ...head, error: told }
  }

  #resultOf(result: unknown, request: Asked | undefined): Json {
    switch (request?.method) {
      case 'initialize':
      case 'server/discover': {
        const given = isRecord(result) ? result : {}
        this.#offersTools = isRecord(given.capabilities) && isRecord(given.capabilities.tools)
        return request.method === 'initialize' ? initialized(given, request.params) : discovered(given)
      }
      case 'tools/list':
        return listed(result, this.#pages)
      case 'tools/call':
        return called(result)
      case 'ping':
        return {}
      default:
        return isRecord(result) ? withoutOddMeta(result) : {}
    }
  }
}

function errorOf(error: unknown): { code: number; message: string; data?: unknown } {
  if (!isRecord(error)) return { code: internalError, message: textOf(error) }
  const { code, message, data } = error
  const number = typeof code === 'string' && code.trim() !== '' ? Number(code) : code
  const isNumber = typeof number === 'number' && Number.isFinite(number)
  const said = [message, error.msg, error.error, error.detail].find((one) => typeof one === 'string' && one !== '')
  const words = said === undefined ? textOf(error) : String(said)
  return {
    code: isNumber ? Math.trunc(number) : internalError,
    message: said !== undefined && typeof code === 'string' && !isNumber ? `${code}: ${words}` : words,
    ...(data !== undefined && data !== null && { data }),
  }
}

/** Returns the capabilities for the SDK. They always include tools, so a server that declares none is asked for its tools too. */
function capabilitiesOf(given: unknown): Json {
  const { tools } = isRecord(given) ? given : { tools: undefined }
  return { tools: isRecord(tools) && tools.listChanged === true ? { listChanged: true } : {} }
}

function initialized({ protocolVersion, capabilities, serverInfo, instructions }: Json, offered: Json): Json {
  const { name, version } = isRecord(serverInfo) ? serverInfo : { name: undefined, version: undefined }
  return {
    protocolVersion: isNothing(protocolVersion) ? offered.protocolVersion : textOf(protocolVersion),
    capabilities: capabilitiesOf(capabilities),
    serverInfo: { name: nameOf(name), version: nameOf(version) },
    ...(typeof instructions === 'string' && { instructions }),
  }
}

/**
 * Converts an answer to the request for the server's versions. An answer without a list of versions comes from an older server that does not know
 * the request.
 */
function discovered(given: Json): Json {
  if (!Array.isArray(given.supportedVersions)) return withoutOddMeta(given)
  const { instructions } = given
  return {
    ...withoutOddMeta(given),
    supportedVersions: given.supportedVersions.filter((one) => typeof one === 'string'),
    capabilities: capabilitiesOf(given.capabilities),
    instructions: typeof instructions === 'string' ? instructions : undefined,
    resultType: typeof given.resultType === 'string' ? given.resultType : 'complete',
  }
}

/** The pages of one list. A list that would never end is cut, and the items received so far are kept. */
class Pages {
  #pages = 0
  #names = new Set<string>()
  #cursors = new Set<unknown>()

  /** Records the request for a page. Without a cursor, it is the first page. */
  turn(cursor: unknown): void {
    if (cursor === undefined) {
      this.#pages = 0
      this.#names = new Set()
      this.#cursors = new Set()
    } else this.#cursors.add(cursor)
    this.#pages += 1
  }

  names(): readonly string[] {
    return [...this.#names]
  }

  page(tools: readonly Json[], cursor: unknown): Json {
    const isNews = tools.length === 0 || tools.some(({ name }) => !this.#names.has(String(name)))
    for (const { name } of tools) this.#names.add(String(name))
    const goesOn = (typeof cursor === 'string' && cursor !== '') || typeof cursor === 'number'
    const isEndless = goesOn && (!isNews || this.#cursors.has(cursor) || this.#pages >= mostPages)
    const end = odd('tools/list', 'Its list of tools does not come to an end. What had come until then is used.')
    return {
      tools: isEndless ? [...tools, end] : tools,
      ...(goesOn && !isEndless && { nextCursor: cursor }),
    }
  }
}

function listed(result: unknown, pages: Pages): Json {
  const { tools, nextCursor, ttlMs, cacheScope } = isRecord(result) ? result : { tools: result }
  const isList = Array.isArray(tools) || isNothing(tools)
  const items = Array.isArray(tools)
    ? tools.map(toolOf)
    : isList
      ? []
      : [odd('tools/list', 'Its answer holds no list of tools.')]
  return {
    ...pages.page(items, nextCursor),
    ttlMs: Number.isSafeInteger(ttlMs) && Number(ttlMs) >= 0 ? ttlMs : 0,
    cacheScope: cacheScope === 'public' ? 'public' : 'private',
    resultType: 'complete',
  }
}

/** Returns the list entry for a tool that cannot be used. */
export const odd = (name: string, problem: string): Json => ({
  name,
  inputSchema: { type: 'object' },
  _meta: { [problemKey]: problem },
})

function toolOf(given: unknown, at: number): Json {
  const place = `number ${at + 1}`
  if (!isRecord(given)) return odd(place, 'It is no object.')
  const { name, title, description, annotations } = given
  if (typeof name !== 'string' || name.trim() === '')
    return odd(isNothing(name) ? place : textOf(name), isNothing(name) ? 'It has no name.' : 'Its name is no text.')
  const inputSchema = schemaOf(given.inputSchema)
  if (typeof inputSchema === 'string') return odd(name, inputSchema)
  const hints = isRecord(annotations) ? hintsOf(annotations) : {}
  return {
    name,
    ...(typeof title === 'string' && { title }),
    ...(typeof description === 'string' && { description }),
    inputSchema,
    ...(Object.keys(hints).length > 0 && { annotations: hints }),
  }
}

const hintsOf = (annotations: Json): Json =>
  Object.fromEntries(
    Object.entries(annotations).filter(([key, value]) => typeof value === (key === 'title' ? 'string' : 'boolean')),
  )

/** Returns the input schema as a schema of an object; if that is not possible, the reason. */
function schemaOf(schema: unknown): Json | string {
  if (schema === undefined || schema === null) return 'It has no input schema.'
  if (!isRecord(schema)) return 'Its input schema is no object.'
  const { type, properties, required, ...rest } = schema
  const isObject = listOf(type).includes('object') || (isNothing(type) && isRecord(properties))
  if (!isObject)
    return isNothing(type)
      ? 'Its input schema does not say that the input is an object.'
      : 'Its input is not an object.'
  if (!isNothing(properties) && !isRecord(properties)) return 'The arguments in its input schema cannot be read.'
  const arguments_ = isRecord(properties)
    ? Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, value ?? {}]))
    : undefined
  return {
    ...rest,
    type: 'object',
    ...(arguments_ !== undefined && { properties: arguments_ }),
    ...(Array.isArray(required) && { required: required.filter((one) => typeof one === 'string') }),
  }
}

function called(result: unknown): Json {
  if (!isRecord(result)) return { content: blocksOf(result), resultType: 'complete' }
  const { content, structuredContent, isError, _meta, resultType = 'complete', ...rest } = result
  // Pass on other results: the server asks a question first, or returns a task.
  if (typeof resultType === 'string' && resultType !== 'complete') return withoutOddMeta(result)
  const blocks = blocksOf(content)
  const isBare = blocks.length === 0 && isNothing(structuredContent) && Object.keys(rest).length > 0
  return {
    content: isBare ? [inWords(JSON.stringify(rest))] : blocks,
    ...(structuredContent !== null && structuredContent !== undefined && { structuredContent }),
    ...(isError !== undefined && { isError: isError === true || isError === 'true' || isError === 1 }),
    resultType: 'complete',
  }
}

const blocksOf = (content: unknown): Json[] => listOf(content).flatMap((one) => (isNothing(one) ? [] : [blockOf(one)]))

function blockOf(block: unknown): Json {
  if (!isRecord(block)) return inWords(textOf(block))
  const { type, text, data, mimeType, resource, uri, name, title } = block
  switch (type) {
    case undefined:
    case null:
    case 'text':
      if (text !== undefined || type === 'text') return inWords(textOf(text ?? ''))
      break
    case 'image':
    case 'audio': {
      const bytes = base64In(data)
      if (bytes !== undefined)
        return { type, data: bytes, mimeType: typeof mimeType === 'string' ? mimeType : 'application/octet-stream' }
      break
    }
    case 'resource':
      if (isRecord(resource)) {
        const where = typeof resource.uri === 'string' ? resource.uri : ''
        const blob = base64In(resource.blob)
        if (typeof resource.text === 'string') return { type, resource: { uri: where, text: resource.text } }
        if (blob !== undefined) return { type, resource: { uri: where, blob } }
      }
      break
    case 'resource_link':
      if (typeof uri === 'string')
        return {
          type,
          uri,
          name: typeof name === 'string' ? name : uri,
          ...(typeof title === 'string' && { title }),
        }
  }
  const json = JSON.stringify(block)
  const kind = visible(textOf(type ?? 'without a kind'), 50)
  return inWords(`[content of an unknown kind: ${kind}] ${json.length <= longestUnknown ? json : 'It is not shown.'}`)
}

const inWords = (text: string): Json => ({ type: 'text', text })

/** Normalizes base64 from servers, which may have line breaks, use the URL alphabet, or be a `data:` URL. */
function base64In(data: unknown): string | undefined {
  if (typeof data !== 'string') return undefined
  const plain = data
    .replace(/^data:[^,]{0,200},/, '')
    .replace(/\s+/g, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replace(/={1,2}$/, '')
  if (!/^[A-Za-z0-9+/]*$/.test(plain) || plain.length % 4 === 1) return undefined
  return plain.padEnd(Math.ceil(plain.length / 4) * 4, '=')
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value])
const nameOf = (value: unknown) => (isNothing(value) ? '' : textOf(value))
const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

/** True for values that mean nothing, such as the empty list that PHP writes for an empty object. */
const isNothing = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  value === false ||
  (typeof value === 'object' && Object.keys(value).length === 0)

function withoutOddMeta({ _meta, ...rest }: Json): Json {
  return isRecord(_meta) ? { ...rest, _meta } : rest
}

/** Removes null values, except in `data`: a log line may be about null. */
const withoutNulls = (params: Json): Json =>
  Object.fromEntries(Object.entries(params).filter(([key, value]) => value !== null || key === 'data'))

const isRecord = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
