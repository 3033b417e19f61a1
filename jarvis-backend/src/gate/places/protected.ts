import type { Place } from '../effect.ts'
import type { World } from '../world.ts'
import { absoluteOf, isWithin } from './roots.ts'
import { pathId } from './targets.ts'

/** Returns an id and the ids of the folders that contain it, the outermost first: `path/compose`, `path/compose/jellyfin.yml`. */
const above = (id: string): string[] => {
  const parts = id.toLowerCase().split('/')
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'))
}

/** Returns true if a target of the workbench, or a folder that contains it, is protected by its id. Case is ignored, as for all protected targets. */
export const isProtectedId = (id: string, { policy }: Pick<World, 'policy'>): boolean =>
  above(id).some((one) => policy.protectedTargets.has(one))

/** Returns true if a file or folder is protected, under the name of any root that contains it. */
export function isProtectedPlace(place: Place, world: Pick<World, 'policy'>): boolean {
  if (isProtectedId(pathId(place), world)) return true
  const full = absoluteOf(place, world)?.toLowerCase()
  if (full === undefined) return false
  return [...world.policy.protectedTargets].some((id) => {
    const [of, root, ...path] = id.split('/')
    const folder = of === 'path' ? absoluteOf({ root, path: path.join('/') }, world)?.toLowerCase() : undefined
    return folder !== undefined && isWithin(full, folder)
  })
}
