export type ProtectedList = { ok: true; targets: ReadonlySet<string> } | { ok: false; problem: string }

type Known = {
  nodes: readonly { name: string }[]
  guests: readonly { vmid: number }[]
  storages?: readonly { name: string; node?: string | undefined }[]
  unread?: readonly string[] | undefined
}

export const protectedForm =
  /^(?:node\/[A-Za-z0-9][A-Za-z0-9-]{0,62}|(?:vm|ct)\/[1-9]\d{2,8}|service\/[A-Za-z0-9][\w@.-]{0,127}|storage\/(?:[A-Za-z0-9][A-Za-z0-9-]{0,62}\/)?[A-Za-z][\w.-]{0,99}|path\/[a-z0-9][a-z0-9_-]{0,31}(?:\/[^\s,/][^,/]{0,120}){0,12}|container\/[A-Za-z0-9][\w.-]{0,127})$/
/** The forms of protected targets, for messages. */
export const protectedForms =
  'node/NAME, vm/ID, ct/ID, service/NAME, storage/NAME, storage/NODE/NAME, path/ROOT/FILE or container/NAME'

/** Returns protected nodes, guests and storages that the cluster does not have; empty while the cluster is unknown. */
export function unseenTargets(targets: Iterable<string>, { nodes, guests, storages, unread }: Known): string[] {
  if (nodes.length === 0) return []
  const known = new Set([
    ...nodes.map(({ name }) => `node/${name.toLowerCase()}`),
    ...guests.flatMap(({ vmid }) => [`vm/${vmid}`, `ct/${vmid}`]),
    ...(storages ?? []).flatMap(({ name, node }) =>
      [`storage/${name}`, `storage/${node}/${name}`].map((id) => id.toLowerCase()),
    ),
  ])
  const areStoragesKnown = storages !== undefined && unread?.includes('storages') !== true
  const mayBeThere = (target: string) =>
    /^(?:service|path|container)\//.test(target) || (target.startsWith('storage/') && !areStoragesKnown)
  return [...targets].filter((target) => !mayBeThere(target) && !known.has(target.toLowerCase()))
}

/** Parses a comma-separated list of `protectedForms`. An empty list protects nothing. */
export function parseProtected(list: string): ProtectedList {
  const targets = list
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
  const odd = targets.find((part) => !protectedForm.test(part))
  return odd === undefined
    ? { ok: true, targets: new Set(targets) }
    : { ok: false, problem: `${JSON.stringify(odd.slice(0, 80))} is none of ${protectedForms}` }
}
