import type { Group } from '../tool.ts'

/** Replication goes from one node's ZFS storage to that of the same name on another. */
export const replicates: Group = {
  name: 'replication',
  isServed: ({ storages, unread }) =>
    unread?.includes('storages') === true ||
    storages.some(
      ({ name, type, node }) =>
        type === 'zfspool' && storages.some((other) => other.name === name && other.node !== node),
    ),
}

/** HA needs nodes to move guests between. */
export const hasHa: Group = { name: 'ha', isServed: ({ nodes }) => nodes.length > 1 }
