import type Sqlite from 'better-sqlite3'
import { JarvisError } from 'protocol'
import { type Held, isBusy } from './held.ts'
import { isFull } from './storage-failure.ts'

/** Numbers of commits. `full`: commits that wait for the disk. */
export type Commits = { full: number; normal: number }

/** The transactions of one connection. Its members are described at `Database`. */
export class Transactions {
  readonly #sql: Sqlite.Database
  readonly #held: Pick<Held, 'failed'>
  readonly #makeRoom: () => boolean
  readonly #transaction: Sqlite.Transaction<(work: () => unknown) => unknown>
  /** Functions to call once the open transaction is committed. */
  #committed: (() => void)[] = []
  #undone = 0
  #isDurable = false
  readonly #commits = { full: 0, normal: 0 }

  /** @param parts.began called at the start of each outermost transaction, before its work */
  constructor(sql: Sqlite.Database, parts: { held: Pick<Held, 'failed'>; makeRoom(): boolean; began(): void }) {
    this.#sql = sql
    this.#held = parts.held
    this.#makeRoom = parts.makeRoom
    this.#transaction = sql.transaction((work) => {
      parts.began()
      return work()
    })
  }

  get undone(): number {
    return this.#undone
  }

  /** The commits since the database was opened, by level. */
  get commits(): Commits {
    return { ...this.#commits }
  }

  /** Called after a statement that writes. Outside a transaction, the statement is a commit of its own. */
  wrote(): void {
    if (!this.#sql.inTransaction) this.#commits.normal += 1
  }

  atomically<T>(work: () => T): T {
    if (this.#sql.inTransaction) return work()
    this.#committed = []
    const result = this.#commit(work)
    // Every function runs even when an earlier one throws, because the data is committed.
    let failure: unknown
    for (const run of this.#committed.splice(0)) {
      try {
        run()
      } catch (error) {
        failure ??= error
      }
    }
    if (failure !== undefined) throw failure
    return result
  }

  durably<T>(work: () => T): T {
    // The level cannot change inside a transaction, so the outermost transaction decides.
    if (this.#sql.inTransaction) return work()
    // `exec` instead of `prepare`: SQLite applies this pragma when it is prepared and not when it is run.
    this.#sql.exec('PRAGMA synchronous = FULL')
    this.#isDurable = true
    try {
      return this.atomically(work)
    } finally {
      this.#isDurable = false
      this.#sql.exec('PRAGMA synchronous = NORMAL')
    }
  }

  afterCommit(run: () => void): void {
    if (this.#sql.inTransaction) this.#committed.push(run)
    else run()
  }

  /**
   * Runs one piece of the open transaction's work. @param settle called after the commit with the work's result and the work's own `afterCommit`
   * functions, in place of these functions
   */
  part<T>(work: () => T, settle: (result: T, left: (() => void)[]) => void): void {
    const before = this.#committed.length
    const result = work()
    const left = this.#committed.splice(before)
    // `afterCommit` is not used here, because work that ended the transaction (a full disk does that) must not be settled.
    this.#committed.push(() => settle(result, left))
  }

  #commit<T>(work: () => T): T {
    try {
      const result = this.#transaction.immediate(work) as T
      this.#commits[this.#isDurable ? 'full' : 'normal'] += 1
      return result
    } catch (error) {
      this.#undone += 1
      const failure = this.#held.failed(error)
      if (this.#isDurable && isFull(failure) && this.#makeRoom())
        throw new JarvisError(
          'storage_failed',
          'The disk is full, and nothing was changed. JARVIS has freed the room that it keeps for this: try again now, then free some space.',
          { cause: error },
        )
      throw failure
    }
  }
}

type Grouped = { work: () => unknown; resolve(result: unknown): void; reject(error: unknown): void }

/** Commits the work of one turn of the event loop in one transaction. */
export class GroupCommit {
  readonly #transactions: Transactions
  readonly #held: Pick<Held, 'untilFree'>
  #group: Grouped[] = []

  constructor(transactions: Transactions, held: Pick<Held, 'untilFree'>) {
    this.#transactions = transactions
    this.#held = held
  }

  /** @returns the work's result, once it is committed and its `afterCommit` functions have run */
  add<T>(work: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#group.push({ work, resolve: resolve as Grouped['resolve'], reject }) === 1)
        setImmediate(() => this.#commit())
    })
  }

  #commit(): void {
    const works = this.#group
    if (works.length === 0) return
    this.#group = []
    try {
      this.#transactions.atomically(() => {
        for (const one of works) this.#run(one)
      })
    } catch (error) {
      const free = isBusy(error) ? this.#held.untilFree() : undefined
      if (free === undefined) {
        this.#commitAlone(works)
        return
      }
      // No work has run yet. It waits together with the work that is added meanwhile.
      this.#group = [...works, ...this.#group]
      free.then(
        () => this.#commit(),
        (late: unknown) => {
          for (const one of this.#group.splice(0)) one.reject(late)
        },
      )
    }
  }

  /** Runs each piece of work in its own transaction, so that only failing work is rejected. */
  #commitAlone(works: readonly Grouped[]): void {
    for (const one of works) {
      try {
        this.#transactions.atomically(() => this.#run(one))
      } catch (error) {
        one.reject(error)
      }
    }
  }

  /** Runs one piece of work within the open transaction, and settles it after the commit. */
  #run({ work, resolve, reject }: Grouped): void {
    this.#transactions.part(work, (result, left) => {
      try {
        for (const run of left) run()
        resolve(result)
      } catch (error) {
        reject(error)
      }
    })
  }
}
