import type { Homelab } from 'homelab-ports/ports'
import type { Config } from '../config/config.ts'
import type { Foundation } from '../foundation.ts'
import { defineRoom } from '../house.ts'
import { proofRoutes } from '../http/proofs.ts'
import { SqliteDrillStore } from '../store/sqlite/drills.ts'
import { drillTools } from '../tools/drills/index.ts'
import { withPorts } from '../tools/tool.ts'
import { Drills } from './drills.ts'

/** The room of the restore drill and its proofs. It uses its own token for the cluster, if one is set. */
export const drillRoom = defineRoom({
  name: 'drill',
  open(needs: {
    foundation: Foundation
    config: Pick<Config, 'drill'>
    homelab: Pick<Homelab, 'api' | 'drillApi' | 'cluster'>
  }) {
    const { clock, now, database, journal, redact, report, announce, activity } = needs.foundation
    const { api, drillApi, cluster } = needs.homelab
    const drills = new Drills({
      clock,
      cluster,
      journal,
      redact,
      report,
      ids: needs.config.drill.ids,
      store: new SqliteDrillStore(database),
      api: drillApi ?? api,
      hasOwnToken: drillApi !== undefined,
      durably: database.durably,
      announce: announce('backup'),
      changed: () => activity.changed({ what: 'proofs' }),
    })
    return {
      drills,
      contributes: { tools: withPorts(drillTools, { drills, now }), routes: proofRoutes(drills) },
      start: () => drills.resume(),
      stop: () => drills.stop(),
    }
  },
})
