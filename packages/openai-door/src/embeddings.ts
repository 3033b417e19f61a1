import { z } from 'zod'
import { ApiError, badField } from './errors.ts'

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

/** The reply with one vector for each text. The number of tokens is estimated. */
export const embeddingsReply = (
  vectors: readonly Float32Array[],
  { model, texts, isBase64 }: Pick<EmbeddingsRequest, 'model' | 'texts' | 'isBase64'>,
) => {
  const tokens = Math.ceil(texts.reduce((sum, text) => sum + text.length, 0) / charsPerToken)
  return {
    object: 'list',
    data: vectors.map((vector, index) => ({
      object: 'embedding',
      index,
      embedding: isBase64 ? base64Of(vector) : [...vector],
    })),
    model,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  }
}

/** Encodes a vector as base64 of little-endian 32-bit floats. */
const base64Of = (vector: Float32Array) => {
  const bytes = Buffer.alloc(vector.length * 4)
  for (const [at, value] of vector.entries()) bytes.writeFloatLE(value, at * 4)
  return bytes.toString('base64')
}

/** A request for embeddings. `dimensions`: the length that each vector must have. */
export type EmbeddingsRequest = {
  model: string
  texts: readonly string[]
  isBase64: boolean
  dimensions: number | undefined
}

/** Reads the body of `POST /v1/embeddings`. @param known the name of the embedding model @throws ApiError 400, 404 with the field */
export function readEmbeddingsRequest(body: unknown, known: string): EmbeddingsRequest {
  const parsed = Body.safeParse(body)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const param = String(issue?.path[0] ?? '')
    throw badField(param, `${param === '' ? 'The body' : param}: ${issue?.message ?? 'cannot be read'}.`)
  }
  const { model, input, encoding_format: format, dimensions } = parsed.data
  if (![own, known].includes(model))
    throw new ApiError('model_not_found', `There is no embedding model ${JSON.stringify(model)}. There is ${own}.`, {
      status: 404,
      param: 'model',
    })
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
