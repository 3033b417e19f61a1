import { expect, test } from 'vitest'
import { nodesIn } from './inspect.ts'

test('a node of which the cluster does not say whether it is online is of unknown state, not offline', () => {
  const rows = ['online', 'offline', 'unknown', undefined].map((status, at) => ({
    type: 'node',
    node: `pve${at}`,
    status,
  }))
  const seen = (status: unknown) => nodesIn(rows, status).map(({ isOnline }) => isOnline)
  expect(seen([])).toEqual([true, false, null, null])
  // The cluster's own status counts more than the node list.
  expect(seen([{ type: 'node', name: 'pve2', online: 1 }])).toEqual([true, false, true, null])
})
