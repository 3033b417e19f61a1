import type { Database } from './database.ts'

/** Maximum number of answers of one read that are kept. */
const mostKept = 1_000

/**
 * Caches the answers of a read of one table, by key. The answers are dropped when this process writes to the table, a transaction is rolled back, or
 * another process has committed. A read costs 5 to 30 µs, because it locks the database, and one call reads the same dozen keys again and again.
 */
export class KeptReads<Value> {
  readonly #database: Database
  readonly #table: string
  readonly #read: (key: string) => Value
  readonly #known = new Map<string, Value>()
  #version = ''

  /** @param read reads no other table. Callers must not change its answers */
  constructor(database: Database, table: string, read: (key: string) => Value) {
    this.#database = database
    this.#table = table
    this.#read = read
  }

  get(key: string): Value {
    const version = this.#database.versionOf(this.#table)
    if (version !== this.#version || this.#known.size >= mostKept) this.#known.clear()
    this.#version = version
    if (this.#known.has(key)) return this.#known.get(key) as Value
    const value = this.#read(key)
    this.#known.set(key, value)
    return value
  }
}
