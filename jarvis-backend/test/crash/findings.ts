export const findingKinds = ['doubles', 'lostDecisions', 'lostCards', 'lostMessages', 'faults'] as const
export type FindingKind = (typeof findingKinds)[number]
/** Notes that something does not hold, once for each `what`. */
export type Find = (kind: FindingKind, what: string, detail?: string) => void

export function createFindings() {
  const found = new Map<FindingKind, Map<string, string>>(findingKinds.map((kind) => [kind, new Map()]))
  const find: Find = (kind, what, detail = '') => void found.get(kind)?.set(what, detail)
  return {
    find,
    lists: () =>
      Object.fromEntries(
        [...found].map(([kind, items]) => [kind, [...items].map(([what, detail]) => `${what} ${detail}`.trim())]),
      ) as Record<FindingKind, string[]>,
  }
}
