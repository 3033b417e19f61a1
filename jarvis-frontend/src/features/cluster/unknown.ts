import type { ClusterPart, ClusterState, Node, ShownCluster } from 'protocol'

/** Converts the server's state: each list that could not be read (null) becomes an empty list. `unread` names these lists. */
export const fromShown = (shown: ShownCluster): ClusterState => ({
  ...shown,
  nodes: shown.nodes ?? [],
  guests: shown.guests ?? [],
  storages: shown.storages ?? [],
  tasks: shown.tasks ?? [],
})

/** Returns the failed reads, except those that a node's own line already shows. */
export function unreadLines({ missing, nodes }: Pick<ClusterState, 'missing' | 'nodes'>): string[] {
  const away = new Set(nodes.map(({ name, status }) => `${name} is ${status}`))
  return missing.filter((line) => !away.has(line))
}

/** The number of online nodes in words: `3 of 4`; `3 of 4, 1 unknown`; `unknown`. */
export function onlineWords(state: { nodes: readonly Node[]; unread?: ClusterPart[] | undefined }): string {
  const { nodes } = state
  const online = nodes.filter(({ status }) => status === 'online').length
  const unknown = nodes.filter(({ status }) => status === 'unknown').length
  if (nodes.length === 0 || unknown === nodes.length) return 'unknown'
  return `${online} of ${nodes.length}${unknown === 0 ? '' : `, ${unknown} unknown`}`
}
