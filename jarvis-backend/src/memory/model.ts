import type { Clock } from '../lib/clock.ts'
import type { Embedder, MemoryStore } from './ports.ts'

/** How long a search waits for the query's embedding before it uses keywords only, ms. */
const queryWaitMs = 3_000
/** Number of query embeddings that are kept; the oldest are dropped first. */
const queriesKept = 200

export type MemoryModelParts = {
  store: Pick<MemoryStore, 'useModel' | 'servingModel'>
  clock: Clock
  /** Undefined: no embeddings. */
  open: (() => Promise<Embedder>) | undefined
  stopping: AbortSignal
  /** Called when the model has opened, because texts may lack an embedding of this model. */
  opened(): void
}

/** The embedding model of the memory. It is opened at its first use, and again after its server replaced it. */
export class MemoryModel {
  readonly #parts: MemoryModelParts
  /** Embeddings of recent queries, oldest first. */
  readonly #recent = new Map<string, Float32Array>()
  #embedder: Embedder | undefined
  #opening: Promise<Embedder> | undefined
  #problem: string | undefined

  constructor(parts: MemoryModelParts) {
    this.#parts = parts
  }

  /**
   * Opens the model, or returns the open one; undefined if no model is set. @throws Error if the model cannot be opened; the next call tries again
   */
  opened(): Promise<Embedder | undefined> {
    const { open } = this.#parts
    if (open === undefined) return Promise.resolve(undefined)
    this.#opening ??= open().then(
      (found) => {
        this.#recent.clear()
        this.#parts.opened()
        this.#parts.store.useModel(found.id, found.dimensions)
        this.#embedder = found
        return found
      },
      (error: unknown) => {
        this.#opening = undefined
        throw error
      },
    )
    return this.#opening
  }

  /** The open model's id; undefined: none is open. */
  id(): string | undefined {
    return this.#embedder?.id
  }

  /** The reason why meaning cannot be searched now; undefined: it can, or no model is set. */
  problem(): string | undefined {
    return this.#problem
  }

  succeeded(): void {
    this.#problem = undefined
  }

  /** Records why searches by meaning fail. @returns true if the reason differs from the last one */
  failed(error: unknown): boolean {
    const known = this.#problem
    const why = error instanceof Error ? error.message : String(error)
    this.#problem = `Meaning cannot be searched now, words can: ${why}`
    return this.#problem !== known
  }

  /** Embeds texts with a model that `opened` returned, one vector a text. @throws Error if the model does not answer */
  vectorsOf(model: Embedder, texts: readonly string[]): Promise<Float32Array[]> {
    return this.#embed(model, texts, this.#parts.stopping)
  }

  /**
   * Embeds a query.
   * @returns undefined if no model is open, or if the stored embeddings are of another model
   * @throws Error if the embedder does not answer; the caller then uses keywords only
   */
  async vectorOf(query: string): Promise<Float32Array | undefined> {
    const model = this.#embedder
    const serving = this.#parts.store.servingModel()
    if (model === undefined || serving?.id !== model.id || serving.dimensions !== model.dimensions) return undefined
    const known = this.#recent.get(query)
    if (known !== undefined) return known
    const late = new AbortController()
    const cancel = this.#parts.clock.after(queryWaitMs, () => late.abort(new Error(`${model.id} took too long.`)))
    try {
      const [vector] = await this.#embed(model, [query], AbortSignal.any([this.#parts.stopping, late.signal]))
      this.#problem = undefined
      if (vector !== undefined) this.#keep(query, vector)
      return vector
    } catch (error) {
      throw late.signal.aborted ? late.signal.reason : error
    } finally {
      cancel()
    }
  }

  #keep(query: string, vector: Float32Array): void {
    this.#recent.set(query, vector)
    if (this.#recent.size > queriesKept) this.#recent.delete(this.#recent.keys().next().value ?? '')
  }

  /**
   * Embeds texts. @throws Error if the number or length of the embeddings is wrong: the server then has another model, and the next call opens it
   * again
   */
  async #embed(model: Embedder, texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]> {
    const vectors = await model.embed(texts, signal)
    const strange = vectors.find(({ length }) => length !== model.dimensions)
    if (strange === undefined && vectors.length === texts.length) return vectors
    this.#embedder = undefined
    this.#opening = undefined
    throw new Error(`${model.id} answered with ${strange?.length ?? 0} dimensions, where it had ${model.dimensions}.`)
  }
}
