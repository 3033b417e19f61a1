import type { Homelab } from '../../src/homelab/ports.ts'
import { usualLimits } from '../../src/protocol/index.ts'
import { homelabTools } from '../../src/tools/house.ts'
import { withPorts } from '../../src/tools/tool.ts'

/** The house's tools over a homelab, with the usual limits. */
export const overHomelab = (homelab: Pick<Homelab, 'api' | 'cluster' | 'shell' | 'waker'>) =>
  withPorts(homelabTools, { ...homelab, limits: () => usualLimits })
