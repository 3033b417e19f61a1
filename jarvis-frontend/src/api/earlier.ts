import type { ApiError } from 'protocol/client'
import { Value } from '../lib/value.ts'
import { problemOf } from './remote.ts'

/** One page of a list, newest first. `next`: the cursor of the page after it; undefined at the end of the list. */
export type Page<T> = { items: readonly T[]; next?: string | undefined }

/** The earlier pages of a list, read one after the other. */
export class Earlier<T, P extends Page<T>> {
  readonly state = new Value<{ pages: readonly P[]; problem: ApiError | undefined }>({ pages: [], problem: undefined })
  readonly #read: (before: string) => Promise<P>
  #isReading = false

  constructor(read: (before: string) => Promise<P>) {
    this.#read = read
  }

  /** Reads the page after the last one. After an error the next call asks for the same page. */
  async more(newest: P): Promise<void> {
    const { next } = this.state.get().pages.at(-1) ?? newest
    if (next === undefined || this.#isReading) return
    this.#isReading = true
    try {
      const page = await this.#read(next)
      this.state.set({ pages: [...this.state.get().pages, page], problem: undefined })
    } catch (error) {
      this.state.set({ ...this.state.get(), problem: problemOf(error) })
    }
    this.#isReading = false
  }

  /** Removes items that no longer belong to the list. */
  drop(isGone: (item: T) => boolean): void {
    const { pages, problem } = this.state.get()
    this.state.set({
      pages: pages.map((page) => ({ ...page, items: page.items.filter((item) => !isGone(item)) })),
      problem,
    })
  }
}

/** Returns the items of pages that may overlap. An item that changed meanwhile is on an earlier page too: its first place counts. */
export function joined<T>(pages: readonly Page<T>[], idOf: (item: T) => unknown): T[] {
  const seen = new Map<unknown, T>()
  for (const item of pages.flatMap(({ items }) => items)) if (!seen.has(idOf(item))) seen.set(idOf(item), item)
  return [...seen.values()]
}
