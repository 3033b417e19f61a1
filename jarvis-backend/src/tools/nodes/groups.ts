import type { Group } from '../tool.ts'

/** Replication goes from one node's ZFS to another's. */
export const replicates: Group = {
  name: 'replication',
  isServed: ({ nodes, storages, unread }) =>
    nodes.length > 1 && (unread?.includes('storages') === true || storages.some(({ type }) => type === 'zfspool')),
}

/** HA needs nodes to move guests between. */
export const hasHa: Group = { name: 'ha', isServed: ({ nodes }) => nodes.length > 1 }
