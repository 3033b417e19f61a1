import { percent } from 'node-kit/words'
import { isUnlooked, shareOf, storageSeries } from 'protocol/facts'
import { plainName } from '../../homelab/format.ts'
import type { Check } from '../check.ts'
import { seen, storageObject } from '../measure.ts'
import { onNode, overOrUnseen } from './known.ts'

const clears = 0.05

export const storageFull: Check = {
  id: 'storage-full',
  title: 'Storage full',
  reads: 'GET /cluster/resources',
  limit: ({ storageRatio: [look, failed] }) =>
    `Limit ${percent(look)}, failed at ${percent(failed)}, clears at ${percent(look - clears)}.`,
  pace: 'state',
  from: ['storages'],
  forMs: 0,
  runbooks: ['storage-filling'],
  look: ({ state, limits, limits: { storageRatio } }) =>
    seen(
      state.storages
        .filter((storage) => !isUnlooked(storage, limits))
        .map((storage) => {
          const [look, failed] = storageRatio
          // A storage that cannot be reached shows its last known use, so its use counts as unknown.
          const share = storage.isActive === true ? shareOf(storage.usedBytes, storage.totalBytes) : undefined
          const words = share === undefined ? 'unknown' : percent(share)
          return {
            object: storageObject(storage),
            level: overOrUnseen(share, { look, failed, clear: look - clears }),
            words,
            ...(share !== undefined && { value: share }),
            sentence: `Storage ${plainName(storage.name)} is ${words} full${onNode(storage)}.`,
            chart: { series: storageSeries(storage), field: 'usedRatio', limit: look, clears: look - clears },
            inputs: { storage: storage.name, ...(storage.node !== undefined && { node: storage.node }) },
          }
        }),
    ),
}
