import type { Entry } from './entry.ts'

/** An entry as one word in a call's arguments: `none`, `file:HASH:644`, `link:TARGET`, `folder:755`. */
export const markOf = (entry: Entry): string => {
  switch (entry.kind) {
    case 'none':
      return 'none'
    case 'file':
      return `file:${entry.hash}:${entry.mode.toString(8)}`
    case 'link':
      return `link:${entry.to}`
    case 'folder':
      return `folder:${entry.mode.toString(8)}`
  }
}

export const markForm = /^(?:none|file:[0-9a-f]{64}:[0-7]{1,3}|link:[^\0]{1,4000}|folder:[0-7]{1,3})$/

/** Reads an entry from such a word. @param mark a text that matches `markForm` */
export function entryOf(mark: string): Entry {
  const [kind, first = '', second = ''] = mark.split(':')
  if (kind === 'file') return { kind, hash: first, mode: Number.parseInt(second, 8) }
  if (kind === 'folder') return { kind, mode: Number.parseInt(first, 8) }
  if (kind === 'link') return { kind, to: mark.slice('link:'.length) }
  return { kind: 'none' }
}
