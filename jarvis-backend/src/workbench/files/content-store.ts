import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { hashOf } from './walk.ts'

/** Bytes of files before and after changes, by their SHA-256. */
export type ContentStore = {
  /** Stores bytes. They are on disk when the method returns. @returns their hash; undefined if they are more than `mostBytes` and not stored */
  keep(bytes: Buffer): string | undefined
  /** Returns stored bytes. @returns undefined if they are not stored any more */
  read(hash: string): Buffer | undefined
  /** Deletes the bytes that were stored longest ago until at most `mostInAll` are left. @param needed hashes that stay */
  prune(needed: ReadonlySet<string>): void
}

export const mostBytes = 20 * 1024 ** 2
export const mostInAll = 500 * 1024 ** 2
const form = /^[0-9a-f]{64}$/

/**
 * Stores bytes in a folder, encrypted, because a file that JARVIS changes may hold a secret.
 * @param box encrypts and decrypts; a text can be decrypted only for the place that it was encrypted for
 */
export function createContentStore(
  dir: string,
  box: { seal(place: string, text: string): string; open(place: string, sealed: string): string },
  limits: { bytes: number; inAll: number } = { bytes: mostBytes, inAll: mostInAll },
): ContentStore {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const fileOf = (hash: string) => join(dir, hash)
  const placeOf = (hash: string) => `workbench/kept/${hash}`
  const sizeOf = (hash: string) => statSync(fileOf(hash), { throwIfNoEntry: false })?.size

  function read(hash: string): Buffer | undefined {
    if (!form.test(hash) || sizeOf(hash) === undefined) return undefined
    const bytes = Buffer.from(box.open(placeOf(hash), readFileSync(fileOf(hash), 'utf8')), 'base64')
    return hashOf(bytes) === hash ? bytes : undefined
  }

  return {
    read,
    keep(bytes) {
      if (bytes.length > limits.bytes) return undefined
      const hash = hashOf(bytes)
      if (sizeOf(hash) !== undefined) {
        const now = new Date()
        utimesSync(fileOf(hash), now, now)
        return hash
      }
      const fresh = join(dir, `${hash}.${process.pid}.new`)
      rmSync(fresh, { force: true })
      const file = openSync(fresh, 'wx', 0o600)
      try {
        // Not `writeSync`: on a disk that is almost full it may write only a part and report no error.
        writeFileSync(file, box.seal(placeOf(hash), bytes.toString('base64')))
        fsyncSync(file)
      } catch (error) {
        rmSync(fresh, { force: true })
        throw error
      } finally {
        closeSync(file)
      }
      renameSync(fresh, fileOf(hash))
      return hash
    },
    prune(needed) {
      const kept = readdirSync(dir).flatMap((name) => {
        const stat = statSync(join(dir, name), { throwIfNoEntry: false })
        if (stat === undefined) return []
        // A process that is dead now left this file partly written. Nothing refers to it.
        if (!form.test(name)) {
          rmSync(join(dir, name), { force: true })
          return []
        }
        return [{ hash: name, size: stat.size, at: stat.mtimeMs }]
      })
      let left = kept.reduce((sum, { size }) => sum + size, 0)
      for (const { hash, size } of kept.sort((one, other) => one.at - other.at)) {
        if (left <= limits.inAll) return
        if (needed.has(hash)) continue
        rmSync(fileOf(hash), { force: true })
        left -= size
      }
    },
  }
}
