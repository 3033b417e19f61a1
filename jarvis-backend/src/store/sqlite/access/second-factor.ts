import type { SecondFactorStore, StoredSecondFactor } from '../../../auth/second-factor.ts'
import type { Database } from '../database.ts'
import { SqliteStore } from '../sqlite-store.ts'

export class SqliteSecondFactorStore extends SqliteStore implements SecondFactorStore {
  readonly #atomically: Database['atomically']
  readonly #select = this.sql.prepare<[string], StoredSecondFactor>(
    'SELECT seed, last_step AS lastStep, failures FROM second_factors WHERE person = ?',
  )
  readonly #put = this.sql.prepare(
    'INSERT OR REPLACE INTO second_factors (person, seed, last_step, failures) VALUES (?, ?, ?, 0)',
  )
  readonly #used = this.sql.prepare('UPDATE second_factors SET last_step = ?, failures = 0 WHERE person = ?')
  readonly #failed = this.sql.prepare('UPDATE second_factors SET failures = failures + 1 WHERE person = ?')
  readonly #unlock = this.sql.prepare('UPDATE second_factors SET failures = 0 WHERE person = ? AND failures > 0')
  readonly #remove = this.sql.prepare('DELETE FROM second_factors WHERE person = ?')
  readonly #addCode = this.sql.prepare('INSERT INTO recovery_codes (person, number, hash) VALUES (?, ?, ?)')
  readonly #code = this.sql.prepare<[string, number], { hash: string }>(
    'SELECT hash FROM recovery_codes WHERE person = ? AND number = ?',
  )
  readonly #count = this.sql.prepare<[string], { left: number }>(
    'SELECT count(*) AS left FROM recovery_codes WHERE person = ?',
  )
  readonly #use = this.sql.prepare('DELETE FROM recovery_codes WHERE person = ? AND number = ? AND hash = ?')
  readonly #dropCodes = this.sql.prepare('DELETE FROM recovery_codes WHERE person = ?')

  constructor(database: Database) {
    super(database)
    this.#atomically = database.atomically
  }

  get(person: string): StoredSecondFactor | undefined {
    return this.#select.get(person)
  }

  set(person: string, seed: string, lastStep: number): void {
    this.#put.run(person, seed, lastStep)
  }

  used(person: string, step: number): void {
    this.#used.run(step, person)
  }

  failed(person: string): void {
    this.#failed.run(person)
  }

  unlock(person: string): void {
    this.#unlock.run(person)
  }

  remove(person: string): boolean {
    return this.#atomically(() => {
      this.#dropCodes.run(person)
      return this.#remove.run(person).changes === 1
    })
  }

  setCodes(person: string, codes: readonly { number: number; hash: string }[]): void {
    this.#atomically(() => {
      this.#dropCodes.run(person)
      for (const { number, hash } of codes) this.#addCode.run(person, number, hash)
    })
  }

  code(person: string, number: number): string | undefined {
    return this.#code.get(person, number)?.hash
  }

  codesLeft(person: string): number {
    return this.#count.get(person)?.left ?? 0
  }

  useCode(person: string, number: number, hash: string): boolean {
    return this.#use.run(person, number, hash).changes === 1
  }
}
