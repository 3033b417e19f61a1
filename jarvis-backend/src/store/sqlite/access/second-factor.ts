import type { SecondFactorStore, StoredSecondFactor } from '../../../auth/second-factor.ts'
import type { Database } from '../database.ts'

export function createSecondFactorStore({ sql, atomically }: Database): SecondFactorStore {
  const select = sql.prepare<[string], StoredSecondFactor>(
    'SELECT seed, last_step AS lastStep, failures FROM second_factors WHERE person = ?',
  )
  const put = sql.prepare(
    'INSERT OR REPLACE INTO second_factors (person, seed, last_step, failures) VALUES (?, ?, ?, 0)',
  )
  const used = sql.prepare('UPDATE second_factors SET last_step = ?, failures = 0 WHERE person = ?')
  const failed = sql.prepare('UPDATE second_factors SET failures = failures + 1 WHERE person = ?')
  const unlock = sql.prepare('UPDATE second_factors SET failures = 0 WHERE person = ? AND failures > 0')
  const remove = sql.prepare('DELETE FROM second_factors WHERE person = ?')
  const addCode = sql.prepare('INSERT INTO recovery_codes (person, number, hash) VALUES (?, ?, ?)')
  const code = sql.prepare<[string, number], { hash: string }>(
    'SELECT hash FROM recovery_codes WHERE person = ? AND number = ?',
  )
  const count = sql.prepare<[string], { left: number }>('SELECT count(*) AS left FROM recovery_codes WHERE person = ?')
  const use = sql.prepare('DELETE FROM recovery_codes WHERE person = ? AND number = ? AND hash = ?')
  const dropCodes = sql.prepare('DELETE FROM recovery_codes WHERE person = ?')
  return {
    get: (person) => select.get(person),
    set: (person, seed, lastStep) => void put.run(person, seed, lastStep),
    used: (person, step) => void used.run(step, person),
    failed: (person) => void failed.run(person),
    unlock: (person) => void unlock.run(person),
    remove: (person) =>
      atomically(() => {
        dropCodes.run(person)
        return remove.run(person).changes === 1
      }),
    setCodes: (person, codes) =>
      atomically(() => {
        dropCodes.run(person)
        for (const { number, hash } of codes) addCode.run(person, number, hash)
      }),
    code: (person, number) => code.get(person, number)?.hash,
    codesLeft: (person) => count.get(person)?.left ?? 0,
    useCode: (person, number, hash) => use.run(person, number, hash).changes === 1,
  }
}
