import { JarvisError } from 'protocol'
import { z } from 'zod'
import { whyUnreachable } from '../../lib/unreachable.ts'
import type { Embedder } from '../../memory/ports.ts'

const Reply = z.object({
  data: z.array(z.object({ index: z.int().nonnegative(), embedding: z.array(z.number()) })),
  usage: z.object({ prompt_tokens: z.int().nonnegative() }).optional().catch(undefined),
})
/** Characters per token, if the server reports no count. */
const charsPerToken = 3.3
const slowestMs = 30_000

/**
 * Returns embeddings of OpenAI or of a server with `/v1/embeddings` (Ollama, llama.cpp, vLLM). The first answer determines the dimensions. @param
 * config.redact applied to every text before it is sent @param config.used called with the tokens of each answer; `isPartial`: they are estimated
 * @throws JarvisError `internal` with the server's message, if it returns no embeddings
 */
export async function openAiEmbedder(config: {
  baseUrl: string
  apiKey?: string
  model: string
  redact?(text: string): string
  used?(tokens: number, isPartial: boolean): void
}): Promise<Embedder> {
  const { redact = (text: string) => text } = config
  async function embed(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]> {
    const input = texts.map((text) => redact(text))
    const late = AbortSignal.timeout(slowestMs)
    let response: Response
    try {
      response = await fetch(`${config.baseUrl.replace(/(?<!\/)\/+$/, '')}/embeddings`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(config.apiKey !== undefined && { authorization: `Bearer ${config.apiKey}` }),
        },
        body: JSON.stringify({
          model: config.model,
          input,
          encoding_format: 'float',
        }),
        signal: AbortSignal.any([signal, late]),
      })
    } catch (error) {
      throw new JarvisError(
        'internal',
        `${config.model} did not answer: ${late.aborted ? 'it took too long' : whyUnreachable(error)}.`,
        { cause: error },
      )
    }
    if (!response.ok) {
      const said = (await response.text().catch(() => '')).slice(0, 200)
      throw new JarvisError('internal', `${config.model} answered ${response.status}. ${said}`)
    }
    const reply = Reply.safeParse(await response.json().catch(() => undefined))
    if (!reply.success || reply.data.data.length !== texts.length) {
      throw new JarvisError('internal', `${config.model} did not answer with one vector for each text.`)
    }
    const counted = reply.data.usage?.prompt_tokens
    const chars = input.reduce((sum, text) => sum + text.length, 0)
    config.used?.(counted ?? Math.ceil(chars / charsPerToken), counted === undefined)
    const vectors = reply.data.data
      .sort((one, other) => one.index - other.index)
      .map(({ embedding }) => unit(embedding))
    if (vectors.some(({ length }) => length === 0 || length !== vectors[0]?.length)) {
      throw new JarvisError('internal', `${config.model} answered with vectors of different lengths.`)
    }
    return vectors
  }

  const [probe] = await embed(['homelab'], AbortSignal.timeout(slowestMs))
  return { id: `openai/${config.model}@${new URL(config.baseUrl).host}`, dimensions: probe?.length ?? 0, embed }
}

function unit(values: readonly number[]): Float32Array {
  const length = Math.hypot(...values)
  return Float32Array.from(values, (value) => (length === 0 ? 0 : value / length))
}
