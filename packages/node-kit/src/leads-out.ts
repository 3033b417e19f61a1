/**
 * Returns true if a link could lead out of its root, also in combination with other links of the root. `..` is safe only at the beginning: behind a
 * name, it starts from the folder to which that name leads. @param path the link's own path, relative to the root
 */
export function leadsOut(path: string, to: string): boolean {
  const parts = to.split('/').filter((part) => part !== '' && part !== '.')
  const first = parts.findIndex((part) => part !== '..')
  const climbs = first === -1 ? parts.length : first
  const folders = path.split('/').length - 1
  return to.startsWith('/') || climbs > folders || parts.slice(climbs).includes('..')
}
