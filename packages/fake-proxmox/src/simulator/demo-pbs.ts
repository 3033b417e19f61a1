import { ApiError } from 'homelab-ports/failure'
import type { PbsApi } from 'homelab-ports/ports'
import { answerPbs, type PbsFacts } from '../pbs-model.ts'
import { backupServer } from './demo-lab.ts'
import { isActive } from './snapshot.ts'
import type { World } from './world.ts'

const dayS = 86_400

/** The API of the demo's backup server. It is unreachable while its guest is stopped, as at the start. */
export function createDemoPbs(world: World): PbsApi {
  return {
    async get(path, query, { signal }) {
      await world.arrive(signal)
      const storage = world.storages.find(({ name }) => name === backupServer.storage)
      if (storage === undefined || !isActive(world, storage)) {
        const message = `The backup server 10.0.4.24:8007 cannot be reached. It is guest ${backupServer.vmid}; is that running?`
        throw new ApiError('cluster_unreachable', message)
      }
      return structuredClone(answerPbs({ ...factsOf(world, storage), may: () => true }, path, query))
    },
  }
}

function factsOf(world: World, { usedBytes, totalBytes }: { usedBytes: number; totalBytes: number }): PbsFacts {
  const startS = Math.floor(world.startedAt / 1000)
  const store = 'main'
  const ran = (agoS: number, state: string) => ({ 'last-run-endtime': startS - agoS, 'last-run-state': state })
  return {
    stores: [{ store, total: totalBytes, used: usedBytes, fullAt: startS + 118 * dayS }],
    snapshots: world.backups
      .filter(({ storage }) => storage === backupServer.storage)
      .map(({ vmid, format, createdAt, sizeBytes, verification, owner, notes }) => ({
        store,
        type: format === 'pbs-vm' ? ('vm' as const) : ('ct' as const),
        id: String(vmid),
        time: Math.floor(createdAt / 1000),
        size: sizeBytes,
        owner,
        comment: notes,
        ...((verification === 'ok' || verification === 'failed') && { verification }),
      })),
    jobs: [
      {
        kind: 'verify',
        store,
        id: 'verify-daily',
        schedule: 'daily',
        ...ran(1.2 * dayS, 'verification failed - please check the log for details'),
      },
      { kind: 'prune', store, id: 'prune-main', schedule: 'daily', ...ran(1.3 * dayS, 'OK') },
      {
        kind: 'gc',
        store,
        schedule: 'sat 03:00',
        ...ran(5 * dayS, 'OK'),

        'pending-bytes': 41 * 1024 ** 3,
        'removed-bytes': 96 * 1024 ** 3,
        'still-bad': 0,
        'disk-bytes': usedBytes,
      },
    ],
  }
}
