import { fstatSync, readSync, type Stats } from 'node:fs'

/** The first bytes of a file. `size`, `changedAt` (Unix ms): after reading. `isTorn`: the file changed while it was read. */
export type FileStart = { bytes: Buffer; size: number; changedAt: number; isTorn: boolean }

/** Reads the first `most` bytes of an open file. @param before the file's state before reading */
export function fileStart(file: number, before: Stats, most: number): FileStart {
  const bytes = Buffer.alloc(Math.min(before.size, most))
  let filled = 0
  while (filled < bytes.length) {
    const got = readSync(file, bytes, filled, bytes.length - filled, filled)
    if (got === 0) break
    filled += got
  }
  const after = fstatSync(file)
  const isTorn = filled < bytes.length || after.size !== before.size || after.mtimeMs !== before.mtimeMs
  return { bytes: bytes.subarray(0, filled), size: after.size, changedAt: Math.round(after.mtimeMs), isTorn }
}
