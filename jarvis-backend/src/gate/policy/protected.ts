export type ProtectedList = { ok: true; targets: ReadonlySet<string> } | { ok: false; problem: string }

type Known = { nodes: readonly { name: string }[]; guests: readonly { vmid: number }[] }

export const protectedForm =
  /^(?:node\/[A-Za-z0-9][A-Za-z0-9-]{0,62}|(?:vm|ct)\/[1-9]\d{2,8}|service\/[A-Za-z0-9][\w@.-]{0,127})$/

/** Protected nodes and guests that the cluster does not have. Empty while the cluster is unknown. */
export function unseenTargets(targets: Iterable<string>, { nodes, guests }: Known): string[] {
  if (nodes.length === 0) return []
  const known = new Set([
    ...nodes.map(({ name }) => `node/${name.toLowerCase()}`),
    ...guests.flatMap(({ vmid }) => [`vm/${vmid}`, `ct/${vmid}`]),
  ])
  return [...targets].filter((target) => !target.startsWith('service/') && !known.has(target.toLowerCase()))
}

/** Reads a comma list of `node/NAME`, `vm/ID`, `ct/ID` and `service/NAME`; an empty list protects nothing. */
export function parseProtected(list: string): ProtectedList {
  const targets = list
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
  const odd = targets.find((part) => !protectedForm.test(part))
  return odd === undefined
    ? { ok: true, targets: new Set(targets) }
    : { ok: false, problem: `${JSON.stringify(odd.slice(0, 80))} is none of node/NAME, vm/ID, ct/ID, service/NAME` }
}
