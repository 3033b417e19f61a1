/** A file system entry. `hash`: SHA-256 of the bytes, hex. `mode`: the nine permission bits. */
export type Entry =
  | { kind: 'none' }
  | { kind: 'file'; hash: string; mode: number }
  | { kind: 'link'; to: string }
  | { kind: 'folder'; mode: number }

/** One change at a path. `root`: the name of the root, or `session:ID`. `path`: relative to the root, normalised, never empty. */
export type FileChange = { root: string; path: string; old: Entry; new: Entry }

export const none: Entry = { kind: 'none' }

export const isSame = (one: Entry, other: Entry): boolean => {
  if (one.kind === 'file' && other.kind === 'file') return one.hash === other.hash && one.mode === other.mode
  if (one.kind === 'link' && other.kind === 'link') return one.to === other.to
  if (one.kind === 'folder' && other.kind === 'folder') return one.mode === other.mode
  return one.kind === other.kind
}

/** The changes that take the given changes back. */
export const reversed = (changes: readonly FileChange[]): FileChange[] =>
  changes.map(({ old, new: made, ...at }) => ({ ...at, old: made, new: old })).toReversed()

/** A path as people and models write it: `compose/jellyfin.yml`, `session/notes.txt`. */
export function shownPath({ root, path }: Pick<FileChange, 'root' | 'path'>): string {
  const [name] = root.split(':')
  return path === '' ? `${name}` : `${name}/${path}`
}
