import type { Target } from '../../protocol/index.ts'
import type { Effect, EffectKind, Place } from '../effect.ts'
import type { World } from '../world.ts'
import { placeOf } from './roots.ts'

type More = Pick<Effect, 'sentence' | 'deed' | 'atLeast' | 'isShownWhole'>

const none = (id: string, name?: string): Target => ({ kind: 'none', id, ...(name !== undefined && { name }) })

/** The id of a file or folder: `path/compose/jellyfin.yml`; `path/?` outside all roots. */
export const pathId = ({ root = '?', path }: Place): string =>
  `path/${root}${path === '' || root === '?' ? '' : `/${path}`}`

/**
 * An effect on a file or folder that a call names as `ROOT/PATH` or by its absolute path in a root. Changes can be allowed
 * beforehand for the folder that holds it.
 */
export function pathEffect(kind: EffectKind, path: string, { policy }: Pick<World, 'policy'>, more: More = {}): Effect {
  const place = placeOf(path, policy.workbench.roots)
  const folder = { ...place, path: place.path.split('/').slice(0, -1).join('/') }
  const id = pathId(folder)
  return {
    ...{ kind, on: 'path', place, target: none(pathId(place)) },
    ...(kind !== 'read' && place.root !== undefined && { scope: { id, words: `changes in ${id.slice(5)}` } }),
    ...more,
  }
}

/** An effect on an address, which can be allowed beforehand for its site. The URL is one that `URL` can parse. */
export function webEffect(kind: EffectKind, url: string, more: More = {}): Effect {
  const { origin, host, href } = new URL(url)
  return {
    ...{ kind, on: 'web', url: href, target: none(`web/${href}`) },
    scope: { id: `web/${origin}`, words: `the site ${host}` },
    ...more,
  }
}

/** Of Docker, by its name. */
export const containerTarget = (name: string): Target => none(`container/${name}`, name)

/** What a command does that only its sandbox feels. */
export const sandboxTarget: Target = none('sandbox/command')
