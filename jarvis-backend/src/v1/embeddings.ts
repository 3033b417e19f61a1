import type { IncomingMessage, ServerResponse } from 'node:http'
import { JarvisError } from 'protocol'
import { z } from 'zod'
import { readJson } from './body.ts'
import { ApiError, badField } from './errors.ts'
import { sendJson } from './send.ts'

const Body = z.looseObject({
  model: z.string().min(1).max(200),
  input: z.union([z.string(), z.array(z.string()).min(1), z.array(z.unknown())]),
  encoding_format: z.enum(['float', 'base64']).nullish(),
  dimensions: z.int().min(1).nullish(),
})

/** A name of the embedding model for programs, in addition to the model's own name. */
const own = 'jarvis/embeddings'
/** Maximum number of texts in a request, because a local model needs some time for each text. */
const mostTexts = 256
/** Maximum length of a text, characters. A model reads only the beginning of a long text. */
const longestText = 100_000
/** Characters per token; used because not every model reports a count. */
const charsPerToken = 3.3

/** The model that computes embeddings. `model`: its name. */
export type Embeddings = {
  model: string
  /** Computes one embedding for each text, in the same order. @throws JarvisError if the model does not answer */
  embed(texts: readonly string[]): Promise<readonly Float32Array[]>
}

/**
 * @param embeddings undefined: JARVIS computes no embeddings @param requireBudget throws if the day's limit is used up @returns a handler of `POST
 * /v1/embeddings`
 */
export function createEmbeddings(embeddings: Embeddings | undefined, requireBudget: () => void) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { value } = await readJson(request)
    if (embeddings === undefined)
      throw new ApiError(501, 'not_configured', 'JARVIS computes no embeddings: JARVIS_EMBEDDINGS is none.', {
        isFinal: true,
      })
    const { model, texts, isBase64, dimensions } = readRequest(value, embeddings.model)
    requireBudget()
    const vectors = await embeddings.embed(texts).catch((error: unknown) => {
      if (error instanceof JarvisError)
        throw new ApiError(502, 'embeddings_failed', error.message, { isFinal: true, cause: error })
      throw error
    })
    const length = vectors[0]?.length ?? 0
    if (dimensions !== undefined && dimensions !== length)
      throw badField(
        'dimensions',
        `${embeddings.model} has ${length} dimensions and cannot have others. Leave dimensions out.`,
      )
    const tokens = Math.ceil(texts.reduce((sum, text) => sum + text.length, 0) / charsPerToken)
    sendJson(response, 200, {
      object: 'list',
      data: vectors.map((vector, index) => ({
        object: 'embedding',
        index,
        embedding: isBase64 ? base64Of(vector) : [...vector],
      })),
      model,
      usage: { prompt_tokens: tokens, total_tokens: tokens },
    })
  }
}

/** Encodes a vector as base64 of little-endian 32-bit floats. */
const base64Of = (vector: Float32Array) => {
  const bytes = Buffer.alloc(vector.length * 4)
  for (const [at, value] of vector.entries()) bytes.writeFloatLE(value, at * 4)
  return bytes.toString('base64')
}

function readRequest(body: unknown, known: string) {
  const parsed = Body.safeParse(body)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const param = String(issue?.path[0] ?? '')
    throw badField(param, `${param === '' ? 'The body' : param}: ${issue?.message ?? 'cannot be read'}.`)
  }
  const { model, input, encoding_format: format, dimensions } = parsed.data
  if (![own, known].includes(model))
    throw new ApiError(
      404,
      'model_not_found',
      `There is no embedding model ${JSON.stringify(model)}. There is ${own}.`,
      {
        param: 'model',
      },
    )
  const given = typeof input === 'string' ? [input] : input
  const texts = given.map((text, at) => {
    if (typeof text !== 'string') throw badField(`input[${at}]`, 'JARVIS takes texts, and no lists of tokens.')
    if (text === '') throw badField(`input[${at}]`, 'A text is empty.')
    if (text.length > longestText) throw badField(`input[${at}]`, `A text has at most ${longestText} characters.`)
    return text
  })
  if (texts.length === 0) throw badField('input', 'There is no text.')
  if (texts.length > mostTexts) throw badField('input', `A request has at most ${mostTexts} texts. Send several.`)
  return { model, texts, isBase64: format === 'base64', dimensions: dimensions ?? undefined }
}
