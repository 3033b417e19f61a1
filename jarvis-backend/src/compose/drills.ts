import type { Config } from '../config/config.ts'
import { createDrills } from '../drill/drills.ts'
import type { Homelab } from '../homelab/ports.ts'
import { createDrillStore } from '../store/sqlite/drills.ts'
import type { Foundation } from './foundation.ts'

/** Wires the restore drill to the cluster, by its own token where it has one. */
export function composeDrills(
  foundation: Foundation,
  { drill }: Pick<Config, 'drill'>,
  { api, drillApi, cluster }: Pick<Homelab, 'api' | 'drillApi' | 'cluster'>,
) {
  const { clock, database, journal, redact, report, announce, activity } = foundation
  return createDrills({
    ...{ clock, cluster, journal, redact, report, ids: drill.ids, store: createDrillStore(database) },
    ...{ api: drillApi ?? api, hasOwnToken: drillApi !== undefined, durably: database.durably },
    announce: announce('backup'),
    changed: () => activity.changed({ what: 'proofs' }),
  })
}
