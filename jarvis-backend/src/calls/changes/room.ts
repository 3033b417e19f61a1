import type { Cluster } from 'homelab-ports/ports'
import { mainAgentId } from 'protocol'
import { hearEnd } from '../../agent/hear-end.ts'
import type { Runs } from '../../agent/runs.ts'
import type { Foundation } from '../../foundation.ts'
import { defineRoom, type JarvisFacts } from '../../house.ts'
import type { ChangeStore } from './change.ts'
import { Returns } from './returns.ts'

/** Changes that go back by themselves, and later calls that a card approved. Listens for `changes.changed`; emits `changes.going_back`. */
export const returnsRoom = defineRoom({
  name: 'returns',
  open(needs: {
    foundation: Foundation
    facts: JarvisFacts
    store: ChangeStore
    cluster: Pick<Cluster, 'state'>
    runs: Pick<Runs, 'start' | 'rename' | 'watch'>
  }) {
    const { foundation, facts, store, cluster, runs } = needs
    const { clock, database, journal, activity, announce, report, isStopping } = foundation
    const returns = new Returns({
      store,
      clock,
      journal,
      report,
      transactions: database,
      isReached: (node) => cluster.state().nodes.some(({ name, status }) => name === node && status === 'online'),
      start({ title, ...command }, ended) {
        const { sessionId } = runs.start({ ...command, agent: mainAgentId })
        runs.rename(sessionId, title)
        hearEnd(runs, sessionId, ended)
      },
      soon: facts.teller('changes.going_back'),
      changed() {
        activity.changed({ what: 'changes' })
        if (!isStopping()) returns.look()
      },
      announce: announce('call'),
    })
    facts.on('changes.changed', () => returns.look())
    return { start: () => returns.look(), stop: () => returns.stop() }
  },
})
