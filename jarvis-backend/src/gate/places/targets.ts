import type { Target } from 'protocol'
import type { Effect, Place } from '../effect.ts'
import type { EffectKind } from '../effect-kinds.ts'
import type { World } from '../world.ts'
import { placeOf } from './roots.ts'

type More = Pick<Effect, 'sentence' | 'deed' | 'atLeast' | 'isShownWhole' | 'refers' | 'scope'>

const none = (id: string, name?: string): Target => ({ kind: 'none', id, name })

/** Returns the id of a file or folder: `path/compose/jellyfin.yml`; `path/?` outside all roots. */
export const pathId = ({ root = '?', path }: Place): string =>
  `path/${root}${path === '' || root === '?' ? '' : `/${path}`}`

type PathEffect = More & { kind: EffectKind; path: string }

/** Makes an effect on a file or folder, which the call names as `ROOT/PATH` or by its absolute path in a root. */
export function pathEffect({ kind, path, ...more }: PathEffect, { policy }: Pick<World, 'policy'>): Effect {
  const place = placeOf(path, policy.workbench.roots)
  return { kind, on: 'path', place, target: none(pathId(place)), ...more }
}

/** Makes an effect on an address. @param url an address that `URL` can parse */
export function webEffect(kind: EffectKind, url: string, more: More = {}): Effect {
  const { href } = new URL(url)
  return { kind, on: 'web', url: href, target: none(`web/${href}`), ...more }
}

/** Makes the target for a Docker container, by its name. */
export const containerTarget = (name: string): Target => none(`container/${name}`, name)

/** The target of a command that affects only its sandbox. */
export const sandboxTarget: Target = none('sandbox/command')
