import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import type Sqlite from 'better-sqlite3'

type SqliteVec = { load(sql: Sqlite.Database): void; getLoadablePath(): string }

/** The library is loaded on first use, so that JARVIS also starts without it. */
const require = createRequire(import.meta.url)
const sqliteVec = () => require('sqlite-vec') as SqliteVec

/** The reason why sqlite-vec cannot be used, with the remedy, in one line; undefined if its files are there. */
export function vectorsMissing(from: () => Pick<SqliteVec, 'getLoadablePath'> = sqliteVec): string | undefined {
  try {
    const path = from().getLoadablePath()
    if (existsSync(path)) return undefined
    return missing(`${path} is not there`)
  } catch (error) {
    return missing((error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '')
  }
}
const missing = (why: string) =>
  `sqlite-vec cannot be loaded (${why.replace(/\.$/, '')}): the memory compares meanings without it, which takes longer. npm ci puts it back.`

/** Adds the functions over vectors to a connection: those of sqlite-vec, or the same ones written here if it cannot be loaded. */
export function addVectorFunctions(sql: Sqlite.Database, from: () => Pick<SqliteVec, 'load'> = sqliteVec): void {
  try {
    from().load(sql)
  } catch {
    sql.function('vec_int8', { deterministic: true }, (vector: unknown) => vector)
    sql.function('vec_distance_cosine', { deterministic: true }, (a: unknown, b: unknown) =>
      cosineDistance(a as Buffer, b as Buffer),
    )
  }
}

/** The cosine distance of two vectors of signed bytes: 0 for the same direction, 2 for the opposite one. */
function cosineDistance(a: Buffer, b: Buffer): number {
  if (a.length !== b.length) throw new Error(`Vectors of ${a.length} and ${b.length} dimensions have no distance.`)
  const [left, right] = [a, b].map(({ buffer, byteOffset, length }) => new Int8Array(buffer, byteOffset, length)) as [
    Int8Array,
    Int8Array,
  ]
  let dot = 0
  let ofA = 0
  let ofB = 0
  for (let at = 0; at < left.length; at += 1) {
    const x = left[at] ?? 0
    const y = right[at] ?? 0
    dot += x * y
    ofA += x * x
    ofB += y * y
  }
  return 1 - dot / (Math.sqrt(ofA) * Math.sqrt(ofB))
}

/** Stores a vector as one signed byte per dimension. The scale is lost, which cosine similarity ignores. */
export function toBytes(vector: Float32Array): Buffer {
  let largest = 0
  for (const value of vector) largest = Math.max(largest, Math.abs(value))
  const bytes = new Int8Array(vector.length)
  if (largest > 0)
    for (let at = 0; at < bytes.length; at += 1) bytes[at] = Math.round(((vector[at] as number) / largest) * 127)
  return Buffer.from(bytes.buffer)
}

/** Reads a vector that `toBytes` wrote, scaled to length 1. */
export function toVector(bytes: Buffer): Float32Array {
  const signed = new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length)
  let square = 0
  for (const value of signed) square += value * value
  const scale = square === 0 ? 0 : 1 / Math.sqrt(square)
  const vector = new Float32Array(signed.length)
  for (let at = 0; at < vector.length; at += 1) vector[at] = (signed[at] as number) * scale
  return vector
}
