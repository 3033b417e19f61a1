import { z } from 'zod'
import type { Cluster } from '../../homelab/ports.ts'
import { GuestsOutput } from '../outputs.ts'
import { defineTool } from '../tool.ts'
import { guestStatus, limitOf, nodeFilter, readTimeoutMs } from './inputs.ts'
import { listGuests, usualLimit } from './listing.ts'

export const getVms = (cluster: Cluster) =>
  defineTool({
    name: 'get_vms',
    title: 'List virtual machines',
    description:
      'Lists virtual machines (QEMU), one line each: id, name, state, node, CPU, memory, disk, uptime, age of the newest backup, locks. Containers are in get_containers. Use it to find a VM’s id or state.',
    tier: 'green',
    timeoutMs: readTimeoutMs,
    input: z.strictObject({ node: nodeFilter, status: guestStatus, limit: limitOf(usualLimit) }),
    output: GuestsOutput,
    run: async (input) => listGuests(cluster, 'vm', input),
  })
