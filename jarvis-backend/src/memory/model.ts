import type { Clock } from '../lib/clock.ts'
import type { Embedder, MemoryStore } from './ports.ts'

/** How long a search waits for the query's embedding before it uses keywords only, ms. */
const queryWaitMs = 3_000
/** Embeddings of queries that are kept, the oldest dropped first. */
const queriesKept = 200

/**
 * The embedding model of the memory: opened when it is first needed, opened again when the server replaced it, with the reason while it does not
 * answer.
 */
export function createModel(parts: {
  store: Pick<MemoryStore, 'useModel' | 'servingModel'>
  clock: Clock
  /** Undefined: no embeddings. */
  open: (() => Promise<Embedder>) | undefined
  stopping: AbortSignal
  /** The model was opened, and texts may lack its embeddings. */
  opened(): void
}) {
  const { store } = parts
  const recent = new Map<string, Float32Array>()
  let embedder: Embedder | undefined
  let opening: Promise<Embedder> | undefined
  let problem: string | undefined

  /** @throws where the model cannot be opened; the next call tries again */
  function opened(): Promise<Embedder | undefined> {
    if (parts.open === undefined) return Promise.resolve(undefined)
    opening ??= parts.open().then(
      (found) => {
        recent.clear()
        parts.opened()
        store.useModel(found.id, found.dimensions)
        embedder = found
        return found
      },
      (error: unknown) => {
        opening = undefined
        throw error
      },
    )
    return opening
  }

  /** Embeds texts. Embeddings of another length mean that the server's model was replaced; it is opened again by the next call. */
  async function embed(model: Embedder, texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]> {
    const vectors = await model.embed(texts, signal)
    const strange = vectors.find(({ length }) => length !== model.dimensions)
    if (strange === undefined && vectors.length === texts.length) return vectors
    embedder = undefined
    opening = undefined
    throw new Error(`${model.id} answered with ${strange?.length ?? 0} dimensions, where it had ${model.dimensions}.`)
  }

  return {
    opened,
    /** The open model's id; undefined: none is open. */
    id: () => embedder?.id,
    /** Why meaning cannot be searched now; undefined: it can, or no model is set. */
    problem: () => problem,
    succeeded() {
      problem = undefined
    },
    /** @returns whether the reason is another one than before */
    failed(error: unknown): boolean {
      const known = problem
      const why = error instanceof Error ? error.message : String(error)
      problem = `Meaning cannot be searched now, words can: ${why}`
      return problem !== known
    },
    /** Embeds texts with a model that `opened` returned, one vector a text. @throws where it does not answer */
    vectorsOf: (model: Embedder, texts: readonly string[]) => embed(model, texts, parts.stopping),
    /** Embeds a query. @throws where the embedder does not answer; the caller then uses keywords only */
    async vectorOf(query: string): Promise<Float32Array | undefined> {
      const model = embedder
      const serving = store.servingModel()
      if (model === undefined || serving?.id !== model.id || serving.dimensions !== model.dimensions) return undefined
      const known = recent.get(query)
      if (known !== undefined) return known
      const late = new AbortController()
      const cancel = parts.clock.after(queryWaitMs, () => late.abort(new Error(`${model.id} took too long.`)))
      try {
        const [vector] = await embed(model, [query], AbortSignal.any([parts.stopping, late.signal]))
        problem = undefined
        if (vector !== undefined) {
          recent.set(query, vector)
          if (recent.size > queriesKept) recent.delete(recent.keys().next().value ?? '')
        }
        return vector
      } catch (error) {
        throw late.signal.aborted ? late.signal.reason : error
      } finally {
        cancel()
      }
    },
  }
}
