import { Refusal } from '../src/pve-model/refusal.ts'

/** Rights by path. 1: the right also holds for paths below; 0: only for this path. Undefined: every right on everything. */
export type FakeRights = Record<string, Record<string, 0 | 1>> | undefined

export const rightsHave = (rights: FakeRights, path: string, right: string): boolean => {
  if (rights === undefined) return true
  const parts = path.split('/').filter((part) => part !== '')
  const above = parts.map((_, i) => `/${parts.slice(0, parts.length - i).join('/')}`).concat('/')
  // Rights granted on a path replace the rights inherited from above.
  const nearest = above.find((at) => rights[at] !== undefined)
  const passesOn = nearest === undefined ? undefined : rights[nearest]?.[right]
  return passesOn === 1 || (passesOn === 0 && nearest === path)
}

export function demand(rights: FakeRights, path: string, ...anyOf: string[]) {
  if (anyOf.some((right) => rightsHave(rights, path, right))) return
  throw new Refusal(403, `Permission check failed (${path}, ${anyOf.join('|')})`)
}
