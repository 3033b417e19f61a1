import type { Place } from '../effect.ts'
import type { Root, World } from '../world.ts'

/** The name of the session's own folder, in which changes run without a card. */
export const sessionRoot = 'session'

/**
 * Returns the place that a call names as `ROOT/PATH` or as an absolute path in a root. If one root contains another, the place belongs to the
 * deepest root, whichever root the call named. `root` is undefined if the place is in no root, or if the path has `..` or control characters.
 */
export function placeOf(given: string, roots: readonly Root[]): Place {
  const outside: Place = { root: undefined, path: given }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
  if (/[\u0000-\u001f\u007f]/.test(given)) return outside
  const parts = given.split('/').filter((part) => part !== '' && part !== '.')
  if (parts.includes('..')) return outside
  const [first = '', ...rest] = parts
  if (!given.startsWith('/') && first === sessionRoot) return { root: sessionRoot, path: rest.join('/') }
  const named = given.startsWith('/') ? undefined : roots.find(({ name }) => name === first)
  if (named === undefined && !given.startsWith('/')) return outside
  const full = named === undefined ? `/${parts.join('/')}` : [named.path, ...rest].join('/').replace(/^\/\//, '/')
  // If several roots are the same folder, the root that the call named is used.
  const [deepest] = [...(named === undefined ? [] : [named]), ...roots]
    .filter(({ path }) => isWithin(full, path))
    .sort((one, other) => other.path.length - one.path.length)
  return deepest === undefined
    ? outside
    : { root: deepest.name, path: full.slice(deepest.path === '/' ? 1 : deepest.path.length + 1) }
}

/** Returns true if a normalised absolute path is the folder itself or in it. */
export const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`)

/** Returns the absolute path of a place. Undefined for the session's folder, whose path the gate does not know, and outside all roots. */
export function absoluteOf({ root, path }: Place, { policy }: Pick<World, 'policy'>): string | undefined {
  const found = policy.workbench.roots.find(({ name }) => name === root)
  if (found === undefined) return undefined
  return path === '' ? found.path : `${found.path === '/' ? '' : found.path}/${path}`
}
