import type { ModelFacts } from 'protocol'
import { type Fields, fieldsIfAny } from '../fields.ts'

/**
 * Reads facts about a model from its entry in a server's list. Knows the field names of OpenRouter, Mistral, Groq, vLLM, llama.cpp, LM Studio,
 * Google, Anthropic, LiteLLM, Together, Fireworks and similar servers. Values that are not understood are left out.
 */
export function listedFacts(entry: unknown): ModelFacts {
  const fields = fieldsIfAny(entry)
  if (fields === undefined) return {}
  const info = fieldsIfAny(fields.model_info) ?? {}
  const capabilities = fieldsIfAny(fields.capabilities) ?? {}
  const named = [fields, info, capabilities, fieldsIfAny(capabilities.supports) ?? {}]
  const yes = (...names: string[]) => firstOf(named, names, claim)
  const price = priceIn(fields) ?? priceIn(info)
  return defined({
    tools:
      hasOneOf(fields.supported_parameters, ['tools']) ??
      yes('function_calling', 'supports_tools', 'supports_function_calling', 'tool_calls', 'trained_for_tool_use') ??
      onlyTrue(hasOneOf(fields.capabilities, ['tool_use', 'tools', 'function_calling'])),
    pictures:
      hasOneOf(fieldsIfAny(fields.architecture)?.input_modalities ?? fields.input_modalities, ['image']) ??
      yes('vision', 'supports_vision', 'supports_image_input', 'image_input') ??
      (fields.type === 'vlm' ? true : fields.type === 'llm' ? false : undefined) ??
      onlyTrue(hasOneOf(fields.capabilities, ['vision', 'multimodal'])),
    thinking:
      hasOneOf(fields.supported_parameters, ['reasoning', 'include_reasoning']) ??
      yes('reasoning', 'thinking', 'supports_reasoning', 'extended_thinking') ??
      onlyTrue(hasOneOf(fields.capabilities, ['thinking', 'reasoning'])),
    windowTokens: windowIn(fields) ?? windowIn(info),
    price,
  })
}

/** Reads a model's facts from Ollama's `/api/show`. @param loaded the window of the model as it is loaded now, tokens, from `/api/ps` */
export function ollamaFacts(shown: Fields, loaded: number | undefined): ModelFacts {
  const { capabilities, model_info: info, parameters } = shown
  const can = (name: string) => hasOneOf(capabilities, [name])
  const [, set] = /^num_ctx\s+(\d{1,9})/m.exec(typeof parameters === 'string' ? parameters : '') ?? []
  const [trained] = Object.entries(fieldsIfAny(info) ?? {}).flatMap(([name, value]) =>
    name.endsWith('.context_length') ? (tokens(value) ?? []) : [],
  )
  // Ollama cuts a request at the window that it was started with. That is often less than the model was trained for.
  const given = loaded ?? tokens(set)
  return defined({
    tools: can('tools'),
    pictures: can('vision'),
    thinking: can('thinking'),
    windowTokens: given === undefined ? undefined : Math.min(given, trained ?? given),
  })
}

/** Reads facts from llama-server's `/props`. A request is limited by the window of one slot. */
export function llamaFacts(props: Fields): ModelFacts {
  const { default_generation_settings: settings, modalities, chat_template_caps: caps } = props
  const of = (value: unknown, name: string) => claim(fieldsIfAny(value)?.[name])
  return defined({
    tools: of(caps, 'supports_tools') ?? of(caps, 'supports_tool_calls'),
    pictures: of(modalities, 'vision'),
    thinking: undefined,
    windowTokens: tokens(fieldsIfAny(settings)?.n_ctx),
  })
}

/** Field names of the context window, in order of precedence. A window that the model was trained for says least about the running server. */
const windowNames = [
  'loaded_context_length',
  'max_model_len',
  'context_window',
  'max_context_length',
  'context_length',
  'max_input_tokens',
  'inputTokenLimit',
  'input_token_limit',
  'context_size',
] as const

function windowIn(fields: Fields): number | undefined {
  const meta = fieldsIfAny(fields.meta) ?? {}
  const limits = fieldsIfAny(fieldsIfAny(fields.capabilities)?.limits) ?? {}
  const top = tokens(fieldsIfAny(fields.top_provider)?.context_length)
  const own =
    firstOf([fields], windowNames, tokens) ??
    tokens(meta.n_ctx) ??
    tokens(limits.max_context_window_tokens) ??
    tokens(meta.n_ctx_train)
  return own === undefined || top === undefined ? (own ?? top) : Math.min(own, top)
}

/**
 * Reads prices for one token (OpenRouter, LiteLLM) or for a million tokens (Together). A negative price means that it depends on the request, so it
 * is ignored.
 */
function priceIn(fields: Fields): ModelFacts['price'] {
  const pricing = fieldsIfAny(fields.pricing) ?? {}
  const each = (value: unknown) => scaled(value, 1e6)
  const million = (value: unknown) => scaled(value, 1)
  const found =
    fields.input_cost_per_token !== undefined
      ? {
          input: each(fields.input_cost_per_token),
          output: each(fields.output_cost_per_token),
          cacheRead: each(fields.cache_read_input_token_cost),
          cacheWrite: each(fields.cache_creation_input_token_cost),
        }
      : pricing.prompt !== undefined
        ? {
            input: each(pricing.prompt),
            output: each(pricing.completion),
            cacheRead: each(pricing.input_cache_read),
            cacheWrite: each(pricing.input_cache_write),
          }
        : {
            input: million(pricing.input),
            output: million(pricing.output),
            cacheRead: million(pricing.cached_input),
            cacheWrite: undefined,
          }
  const { input, output, ...more } = found
  return input === undefined || output === undefined ? undefined : { input, output, ...defined(more) }
}

function scaled(value: unknown, by: number): number | undefined {
  if (typeof value !== 'number' && (typeof value !== 'string' || value.trim() === '')) return undefined
  const dollars = Number(value) * by
  // Round to nine digits, to remove the error of floating-point numbers.
  return Number.isFinite(dollars) && dollars >= 0 ? Number(dollars.toPrecision(9)) : undefined
}

/** Smaller numbers are not context windows, tokens. */
const leastWindow = 256
const mostWindow = 100_000_000
function tokens(value: unknown): number | undefined {
  const found = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value
  return Number.isSafeInteger(found) && (found as number) >= leastWindow && (found as number) <= mostWindow
    ? (found as number)
    : undefined
}

/** Reads a boolean, either plain or nested in `supported` as Anthropic sends it. */
const claim = (value: unknown): boolean | undefined => {
  const found = fieldsIfAny(value)?.supported ?? value
  return typeof found === 'boolean' ? found : undefined
}

/** True if a list has one of the words; undefined if the value is not a list of words. */
const hasOneOf = (list: unknown, words: readonly string[]): boolean | undefined =>
  Array.isArray(list) && list.length > 0 && list.every((one) => typeof one === 'string')
    ? words.some((word) => list.includes(word))
    : undefined

/** A list of what a model is known for does not say what it cannot do. */
const onlyTrue = (value: boolean | undefined): true | undefined => (value === true ? true : undefined)

function firstOf<T>(places: readonly Fields[], names: readonly string[], read: (value: unknown) => T | undefined) {
  return names.flatMap((name) => places.flatMap((fields) => read(fields[name]) ?? []))[0]
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> }
export const defined = <T extends object>(value: T): Defined<T> =>
  Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined)) as Defined<T>
