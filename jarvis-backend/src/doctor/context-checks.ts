import type { DoctorCheck } from 'protocol'
import { idOf, type ModelConfig, type ServedModel } from '../config/model.ts'
import { isCloud, isSent, modelApis } from '../providers/index.ts'
import { ok, warn } from './check.ts'

/** A request that a server seems to have cut. `sentTokens`: tokens that were sent, estimated. `readTokens`: tokens that the server says it read. */
type CutRequest = { sentTokens: number; readTokens: number }

const area = 'Context'
/** The smallest context window that holds JARVIS's tools and a short conversation, tokens. */
const leastTokens = 16_384
export const largerWindow =
  'Give the server a larger window: for Ollama OLLAMA_CONTEXT_LENGTH=32768 (or num_ctx in its Modelfile), for llama.cpp -c 32768, for LM Studio the context length of the model.'

/** The sentence for a person on a request that a server seems to have cut. */
export const cutWords = (id: string, { sentTokens, readTokens }: CutRequest): string =>
  `${id} says that it read ${number(readTokens)} of about ${number(sentTokens)} tokens, so it seems to drop the rest and may not know its tools or your words.`

export const cutCheck = (id: string, cut: CutRequest): DoctorCheck => warn(area, cutWords(id, cut), largerWindow)

/** Warns that a model wrote calls of these tools as text. @param todo what to do about it */
export const writtenCheck = (id: string, toolNames: readonly string[], todo: string): DoctorCheck =>
  warn('Model', `${id} wrote a call of ${toolNames.join(', ')} as text, so nothing was run.`, todo)

const number = (tokens: number) => tokens.toLocaleString('en-US')

/** Asks Ollama for the context window of a model. Other servers are not asked and get no line. Costs nothing. */
export async function contextChecks(config: ModelConfig, signal: AbortSignal): Promise<DoctorCheck[]> {
  if (config.kind === 'demo' || config.baseUrl === undefined || isCloud(config)) return []
  if (modelApis[config.kind].isOfLocalServers !== true) return []
  const loaded = await ask(config, { path: '/api/ps' }, signal)
  const models = Array.isArray(loaded?.models) ? (loaded.models as Record<string, unknown>[]) : undefined
  // Only Ollama has this list.
  if (models === undefined) return []
  const isIt = (name: unknown) => name === config.model || name === `${config.model}:latest`
  const tokens =
    models.find(({ name, model }) => isIt(name) || isIt(model))?.context_length ?? (await numCtx(config, signal))
  const id = idOf(config)
  if (typeof tokens !== 'number')
    return [
      warn(
        area,
        `How much ${id} reads at once is not known before Ollama has loaded it; by default it may be 4,096 tokens.`,
        largerWindow,
      ),
    ]
  const text = `Ollama gives ${id} ${number(tokens)} tokens at once`
  if (tokens >= leastTokens) return [ok(area, `${text}.`)]
  return [warn(area, `${text}, and drops the rest of a longer request without a word.`, largerWindow)]
}

/** Returns `num_ctx` from the model's Modelfile; undefined: not set. */
async function numCtx(config: ServedModel, signal: AbortSignal): Promise<number | undefined> {
  const shown = await ask(config, { path: '/api/show', body: { model: config.model } }, signal)
  const [, set] = /^num_ctx\s+(\d+)/m.exec(typeof shown?.parameters === 'string' ? shown.parameters : '') ?? []
  return set === undefined ? undefined : Number(set)
}

/** Sends a request to the model's server. @returns the JSON object of the answer; undefined for any other answer */
async function ask(
  { baseUrl = '', apiKey, headers }: ServedModel,
  { path, body }: { path: string; body?: object },
  signal: AbortSignal,
): Promise<Record<string, unknown> | undefined> {
  try {
    const response = await fetch(new URL(path, baseUrl), {
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...headers, ...(isSent(apiKey) && { authorization: `Bearer ${apiKey}` }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(5_000)]),
      redirect: 'error',
    })
    const value: unknown = response.ok ? await response.json() : undefined
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    signal.throwIfAborted()
    return undefined
  }
}
