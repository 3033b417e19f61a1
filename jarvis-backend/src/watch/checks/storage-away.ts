import { plainName } from '../../homelab/format.ts'
import type { Check } from '../check.ts'
import { causes } from '../hides.ts'
import { seen, storageObject } from '../measure.ts'
import { onNode } from './known.ts'

export const storageAway: Check = {
  id: causes.storage,
  title: 'Storage not reachable',
  reads: 'GET /cluster/resources',
  limit: () => 'Not active for 60 s.',
  pace: 'state',
  from: ['storages'],
  forMs: 60_000,
  look: ({ state }) =>
    seen(
      state.storages.map((storage) => ({
        object: storageObject(storage),
        level: storage.isActive === null ? 'unseen' : storage.isActive ? 'clear' : 'failed',
        words: storage.isActive ? 'active' : 'not active',
        sentence: `Storage ${plainName(storage.name)} is not reachable${onNode(storage)}.`,
        inputs: { storage: storage.name, ...(storage.node !== undefined && { node: storage.node }) },
      })),
    ),
}
