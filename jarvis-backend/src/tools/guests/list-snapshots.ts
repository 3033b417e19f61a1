import { asFarAsSeen, JarvisError } from 'protocol'
import { clusterTime } from 'protocol/facts'
import { z } from 'zod'
import { ageOf, oneLine, plainName } from '../../homelab/format.ts'
import { readSnapshots } from '../../homelab/operations/snapshots.ts'
import { homelabTool, quoting, rights } from '../homelab/homelab-tool.ts'
import { readTimeoutMs } from '../homelab/inputs.ts'
import { vmidOf } from './guest-tool.ts'

export const listSnapshots = homelabTool({
  name: 'list_snapshots',
  title: 'List snapshots',
  description: 'Lists a guest’s snapshots with their age, whether RAM was saved, and what each goes on from.',
  ...quoting,
  shows: ({ vmid }) => vmid,
  needs: [rights.guests],
  timeoutMs: readTimeoutMs,
  input: z.strictObject({ vmid: vmidOf }),
  example: { vmid: 101 },
  output: z.object({
    vmid: z.int(),
    snapshots: z.array(
      z.object({
        name: z.string(),
        takenAt: z.int().optional(),
        hasRam: z.boolean(),
        parent: z.string().optional(),
        description: z.string(),
      }),
    ),
    parent: z.string().optional().describe('The snapshot that the guest goes on from.'),
  }),
  async run({ vmid }, { signal }, { api, cluster }) {
    const state = cluster.state()
    const guest = state.guests.find((candidate) => candidate.vmid === vmid)
    if (guest === undefined)
      throw new JarvisError('not_found', `There is no guest ${vmid}${asFarAsSeen('guests', state)}.`)
    const { items, parent } = await readSnapshots(api, guest, { signal })
    const lines = items.map(({ name, takenAt, hasRam, parent: from, description }) =>
      [
        plainName(name),
        takenAt === undefined ? 'age unknown' : ageOf(takenAt, clusterTime(api.now(), state)),
        ...(hasRam ? ['with RAM'] : []),
        ...(from === undefined ? [] : [`after ${plainName(from)}`]),
        ...(description === '' ? [] : [`"${oneLine(description, 120)}"`]),
      ].join(', '),
    )
    const head = `${items.length === 0 ? 'No' : items.length} ${items.length === 1 ? 'snapshot' : 'snapshots'} of ${vmid} ${plainName(guest.name)}`
    return {
      text: [
        `${head}${parent === undefined ? '' : `; it goes on from ${plainName(parent)}`}.`,
        ...lines.slice(-100),
        ...(lines.length > 100 ? [`${lines.length - 100} older ones are not shown.`] : []),
      ].join('\n'),
      summary: head,
      data: {
        vmid,
        snapshots: items.map(({ takenAt, parent: from, ...rest }) => ({
          ...rest,
          takenAt,
          parent: from,
        })),
        ...(parent !== undefined && { parent }),
      },
    }
  },
})
