import type { Group } from '../tool.ts'

/** Replication copies from one node's ZFS storage to the storage of the same name on another node. */
export const replicates: Group = {
  name: 'replication',
  isServed: ({ storages, unread }) =>
    unread?.includes('storages') === true ||
    storages.some(
      ({ name, type, node }) =>
        type === 'zfspool' && storages.some((other) => other.name === name && other.node !== node),
    ),
}

/** HA is available if the cluster has several nodes, between which guests can move. */
export const hasHa: Group = { name: 'ha', isServed: ({ nodes }) => nodes.length > 1 }
