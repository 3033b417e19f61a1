import type Sqlite from 'better-sqlite3'

type Any = Sqlite.Statement<unknown[]>
type Listener = {
  /** Converts a failure of the disk to a readable error. */
  failed(error: unknown): unknown
  /** Called after a statement that may have written to the table. */
  wrote(table: string): void
}

/** The table that a statement writes to; undefined for a statement that only reads. */
const writtenBy = (source: string): string | undefined =>
  /^\s*(?:(?:INSERT|REPLACE)(?: OR \w+)? INTO|UPDATE(?: OR \w+)?|DELETE FROM)\s+"?(\w+)/i.exec(source)?.[1]

/**
 * A statement that SQLite compiles on first use. A start makes hundreds of statements and runs few; compiling all took a tenth of the start's CPU
 * time. `run`, `get` and `all` throw `storage_failed` with a readable message if the disk fails.
 */
class LateStatement {
  readonly source: string
  readonly #compile: (source: string) => Any
  readonly #listener: Listener
  readonly #table: string | undefined
  #compiled: Any | undefined
  #modes: ((statement: Any) => void)[] = []

  constructor(source: string, compile: (source: string) => Any, listener: Listener) {
    this.source = source
    this.#listener = listener
    this.#compile = compile
    this.#table = writtenBy(source)
  }

  #statement(): Any {
    if (this.#compiled === undefined) {
      const compiled = this.#compile(this.source)
      for (const mode of this.#modes.splice(0)) mode(compiled)
      this.#compiled = compiled
    }
    return this.#compiled
  }

  #with(mode: (statement: Any) => void): this {
    if (this.#compiled === undefined) this.#modes.push(mode)
    else mode(this.#compiled)
    return this
  }

  #tried<T>(use: (statement: Any) => T): T {
    try {
      return use(this.#statement())
    } catch (error) {
      throw this.#listener.failed(error)
    } finally {
      if (this.#table !== undefined) this.#listener.wrote(this.#table)
    }
  }

  run(...params: unknown[]) {
    return this.#tried((statement) => statement.run(...params))
  }

  get(...params: unknown[]) {
    return this.#tried((statement) => statement.get(...params))
  }

  all(...params: unknown[]) {
    return this.#tried((statement) => statement.all(...params))
  }

  iterate(...params: unknown[]) {
    if (this.#table !== undefined) throw new Error('A statement that writes is not iterated.')
    return this.#statement().iterate(...params)
  }

  columns() {
    return this.#statement().columns()
  }

  pluck(isOn = true) {
    return this.#with((statement) => statement.pluck(isOn))
  }

  raw(isOn = true) {
    return this.#with((statement) => statement.raw(isOn))
  }
}

/** The members of a statement that JARVIS uses. Add further members of better-sqlite3 here when they are needed. */
type Used = 'source' | 'run' | 'get' | 'all' | 'iterate' | 'columns' | 'pluck' | 'raw'

/** Makes `prepare` return statements that are compiled on first use. A mistake in the SQL shows only then. */
export function prepareLate(sql: Sqlite.Database, listener: Listener): void {
  const compile = sql.prepare.bind(sql) as (source: string) => Any
  const prepare = (source: string): Pick<Any, Exclude<Used, 'pluck' | 'raw'>> =>
    new LateStatement(source, compile, listener)
  sql.prepare = prepare as typeof sql.prepare
}
