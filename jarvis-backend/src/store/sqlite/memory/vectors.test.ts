import Sqlite from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { addVectorFunctions, vectorsMissing } from './vectors.ts'

const broken = () => {
  throw new Error("Cannot find module 'sqlite-vec'\nRequire stack:\n- /x")
}

test('without sqlite-vec the same distances are computed here, and one line says so', () => {
  const [own, theirs] = [broken, undefined].map((from) => {
    const sql = new Sqlite(':memory:')
    onTestFinished(() => void sql.close())
    addVectorFunctions(sql, from)
    return sql.prepare<[Buffer, Buffer], number>('SELECT vec_distance_cosine(vec_int8(?), vec_int8(?))').pluck()
  })
  const pairs = [
    [
      [127, 0, -5],
      [127, 0, -5],
    ],
    [
      [127, 0, -5],
      [-127, 0, 5],
    ],
    [
      [1, 2, 3],
      [-4, 100, 6],
    ],
  ] as const
  for (const [a, b] of pairs) {
    const vectors = [Buffer.from(Int8Array.from(a).buffer), Buffer.from(Int8Array.from(b).buffer)] as const
    expect(own?.get(...vectors)).toBeCloseTo(theirs?.get(...vectors) ?? Number.NaN, 5)
  }
  expect(vectorsMissing()).toBeUndefined()
  expect(vectorsMissing(broken)).toBe(
    "sqlite-vec cannot be loaded (Cannot find module 'sqlite-vec'): the memory compares meanings without it, which takes longer. npm ci puts it back.",
  )
  expect(vectorsMissing(() => ({ getLoadablePath: () => '/no/vec0.so' }))).toContain('/no/vec0.so is not there')
})
