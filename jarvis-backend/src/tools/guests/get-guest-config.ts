import { asFarAsSeen, JarvisError } from 'protocol'
import { z } from 'zod'
import { oneLine, plainName } from '../../homelab/format.ts'
import { readConfig } from '../../homelab/operations/guest-config.ts'
import { homelabTool, quoting, rights } from '../homelab/homelab-tool.ts'
import { readTimeoutMs } from '../homelab/inputs.ts'
import { vmidOf } from './guest-tool.ts'

export const getGuestConfig = homelabTool({
  name: 'get_guest_config',
  title: 'Read a guest’s configuration',
  description:
    'Returns a guest’s configuration (disks, networks, memory …) with what waits for its next stop. Secrets are left out.',
  ...quoting,
  shows: ({ vmid }) => vmid,
  needs: [rights.guests],
  timeoutMs: readTimeoutMs,
  input: z.strictObject({ vmid: vmidOf }),
  example: { vmid: 101 },
  output: z.object({
    vmid: z.int(),
    digest: z.string().describe('Changes with the configuration.'),
    lock: z.string().optional(),
    values: z.record(z.string(), z.string()),
    pending: z.record(z.string(), z.string().nullable()).describe('From the next stop on. null: the key goes.'),
  }),
  async run({ vmid }, { signal }, { api, cluster }) {
    const state = cluster.state()
    const guest = state.guests.find((candidate) => candidate.vmid === vmid)
    if (guest === undefined)
      throw new JarvisError('not_found', `There is no guest ${vmid}${asFarAsSeen('guests', state)}.`)
    const { digest, lock, values, pending } = await readConfig(api, guest, { signal })
    const waits = [...pending].map(([key, value]) => `${key}: ${value === undefined ? 'goes' : oneLine(value)}`)
    const summary = `${Object.keys(values).length} settings${waits.length === 0 ? '' : `, ${waits.length} pending`}`
    return {
      text: [
        `${guest.type} ${vmid} ${plainName(guest.name)} on ${plainName(guest.node)}${lock === undefined ? '' : `, locked (${oneLine(lock, 20)})`}:`,
        ...Object.entries(values).map(([key, value]) => `${oneLine(key, 40)}: ${oneLine(value, 500)}`),
        ...(waits.length === 0 ? [] : ['Pending, from its next stop on:', ...waits]),
      ].join('\n'),
      summary,
      data: {
        vmid,
        digest,
        values,
        ...(lock !== undefined && { lock }),
        pending: Object.fromEntries([...pending].map(([key, value]) => [key, value ?? null])),
      },
    }
  },
})
