import { z } from 'zod'
import { GuestsOutput } from '../outputs.ts'
import { homelabTool, reading, rights } from './homelab-tool.ts'
import { guestStatus, limitOf, nodeFilter, readTimeoutMs } from './inputs.ts'
import { listGuests, seenState, usualLimit } from './listing.ts'

export const getVms = homelabTool({
  name: 'get_vms',
  title: 'List virtual machines',
  description:
    'Lists virtual machines (QEMU), each with id, name, state, node, CPU, memory, disk, uptime, age of the newest backup, locks.',
  ...reading,
  shows: 'seen',
  needs: [rights.guests],
  timeoutMs: readTimeoutMs,
  input: z.strictObject({ node: nodeFilter, status: guestStatus, limit: limitOf(usualLimit) }),
  example: {},
  output: GuestsOutput,
  run: async (input, { sees }, { cluster }) => listGuests(seenState(cluster, sees), 'vm', input),
})
