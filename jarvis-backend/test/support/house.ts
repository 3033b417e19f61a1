import type { Homelab } from 'homelab-ports/ports'
import { systemClock } from 'node-kit/clock'
import { usualLimits } from 'protocol'
import { homelabTools } from '../../src/tools/homelab/index.ts'
import { houseTools } from '../../src/tools/house.ts'
import { withPorts } from '../../src/tools/tool.ts'
import { makeChecks } from '../../src/watch/checks/index.ts'
import { presentAlerts } from '../../src/watch/present.ts'
import { createSimulator } from './simulator.ts'

/** Tools over a homelab, with the usual limits. @param tools the shipped ones by default */
export const overHomelab = (
  homelab: Pick<Homelab, 'api' | 'cluster' | 'shell' | 'waker' | 'networkTimers'>,
  tools: typeof homelabTools = homelabTools,
) =>
  withPorts(tools, {
    ...homelab,
    limits: () => usualLimits,
    alerts: () => presentAlerts(makeChecks(), homelab.cluster.state(), usualLimits),
  })

/** The shipped tools that the demo cluster is offered. */
export function offeredInDemo() {
  const { cluster } = createSimulator({ clock: systemClock, protectedTargets: new Set() })
  const state = cluster.state()
  cluster.close()
  return houseTools.filter(({ group }) => group === undefined || group.isServed(state))
}
