import type { Change } from 'protocol'
import { readChanges } from '../../api/change.ts'
import { usePaged } from '../../api/use-paged.ts'

const pageSize = 60
const idOf = ({ id }: Change) => id

/** Loads the changes that JARVIS made to an object, newest first. @param targets such as `vm/101`, `node/pve` */
export const useChanges = (targets: readonly string[]) =>
  usePaged({
    key: `changes of ${targets.join()}`,
    read: (before) => pageOf(targets, before),
    idOf,
    on: ['connect', 'changes'],
  })

async function pageOf(targets: readonly string[], before?: string) {
  const at = before === undefined ? undefined : Number(before)
  const found = await Promise.all(targets.map((target) => readChanges(target, pageSize, at)))
  const items = found
    .flatMap((page) => page.items)
    .sort((a, b) => b.at - a.at)
    .slice(0, pageSize)
  return { items, next: items.length < pageSize ? undefined : String(items.at(-1)?.at) }
}
