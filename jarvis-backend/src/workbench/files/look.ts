import { readdirSync } from 'node:fs'
import { JarvisError } from 'protocol'
import { mostBytes } from './content-store.ts'
import type { Entry } from './entry.ts'
import { shownPath } from './entry.ts'
import { bytesOf, entryIn, hashOf, type RootAt, withFile, within } from './walk.ts'

/**
 * A file system entry with its content. `bytes`: absent if the file is larger than 20 MB. `names`: the entries of the folder; the name of a folder
 * ends with `/`.
 */
export type Looked =
  | { kind: 'none' }
  | { kind: 'folder'; names: string[] }
  | { kind: 'file'; entry: Extract<Entry, { kind: 'file' }>; size: number; bytes?: Buffer }

/**
 * Reads the entry at a path, with its content. @throws JarvisError `invalid_request` for a link, a device or a pipe; `not_found` if the root does
 * not exist
 */
export function lookAt(root: RootAt, path: string): Looked {
  const shown = shownPath({ root: root.name, path })
  const looked = within(root, path, (held): Looked => {
    if (held.name === '.') return { kind: 'folder', names: namesAt(held.dir) }
    const entry = entryIn(held, shown)
    if (entry.kind === 'none') return { kind: 'none' }
    if (entry.kind === 'link')
      throw new JarvisError('invalid_request', `${shown} is a link, and links are not followed.`)
    if (entry.kind === 'folder')
      return (
        within(root, `${path}/x`, ({ dir }): Looked => ({ kind: 'folder', names: namesAt(dir) })) ?? { kind: 'none' }
      )
    return (
      withFile(held, shown, (file, { size, mode }): Looked => {
        const bytes = bytesOf(file, mostBytes)
        return bytes === undefined
          ? { kind: 'file', entry, size }
          : {
              kind: 'file',
              entry: { kind: 'file', hash: hashOf(bytes), mode: mode & 0o777 },
              size: bytes.length,
              bytes,
            }
      }) ?? { kind: 'none' }
    )
  })
  return looked ?? { kind: 'none' }
}

const namesAt = (dir: string): string[] =>
  readdirSync(dir, { withFileTypes: true })
    .map((entry) =>
      entry.isDirectory() ? `${entry.name}/` : entry.isSymbolicLink() ? `${entry.name} (a link)` : entry.name,
    )
    .sort()
