import type { IncomingMessage, ServerResponse } from 'node:http'
import { embeddingsReply, readEmbeddingsRequest } from 'openai-door/embeddings'
import { ApiError, badField } from 'openai-door/errors'
import { sendJson } from 'openai-door/send'
import { JarvisError } from 'protocol'
import { readJson } from './body.ts'

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
      throw new ApiError('not_configured', 'JARVIS computes no embeddings: JARVIS_EMBEDDINGS is none.', {
        status: 501,
        isFinal: true,
      })
    const { model, texts, isBase64, dimensions } = readEmbeddingsRequest(value, embeddings.model)
    requireBudget()
    const vectors = await embeddings.embed(texts).catch((error: unknown) => {
      if (error instanceof JarvisError)
        throw new ApiError('embeddings_failed', error.message, { status: 502, isFinal: true, cause: error })
      throw error
    })
    const length = vectors[0]?.length ?? 0
    if (dimensions !== undefined && dimensions !== length)
      throw badField(
        'dimensions',
        `${embeddings.model} has ${length} dimensions and cannot have others. Leave dimensions out.`,
      )
    sendJson(response, 200, embeddingsReply(vectors, { model, texts, isBase64 }))
  }
}
