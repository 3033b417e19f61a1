import { clusterTime } from 'protocol/facts'
import { z } from 'zod'
import { ageOf, oneLine, plainName } from '../../homelab/format.ts'
import { readHa } from '../../homelab/operations/ha.ts'
import { homelabTool, reading, rights } from '../homelab/homelab-tool.ts'
import { readTimeoutMs } from '../homelab/inputs.ts'
import { HaOutput } from '../outputs.ts'
import { hasHa } from './groups.ts'

/** HA states in which HA waits for a person or is at work. */
const unusual = new Set(['error', 'fence', 'recovery', 'migrate', 'relocate', 'freeze'])
/** Time after which a manager counts as silent, ms. A manager reports every ten seconds. */
const silentMs = 120_000

export const getHaState = homelabTool({
  ...reading,
  name: 'get_ha_state',
  title: 'Show high availability',
  description: 'Shows HA: quorum, the managers of the nodes, and each managed guest with its state.',
  group: hasHa,
  needs: [rights.quorum],
  timeoutMs: readTimeoutMs,
  input: z.strictObject({}),
  example: {},
  output: HaOutput,
  async run(_input, { signal }, { api, cluster }) {
    const { isQuorate, master, nodes, services } = await readHa(api, signal)
    const now = clusterTime(api.now(), cluster.state())
    const odd = services.filter(({ state }) => unusual.has(state))
    const silent = nodes.filter(({ seenAt }) => seenAt !== undefined && now - seenAt > silentMs)
    const managerLine = ({ node, status, seenAt }: (typeof nodes)[number]) =>
      `${plainName(node)}: ${oneLine(status, 80)}${seenAt === undefined ? '' : `, reported ${ageOf(seenAt, now)}`}`
    const quorum = isQuorate === null ? 'quorum unknown' : isQuorate ? 'quorate' : 'NO QUORUM'
    const serviceLine = ({ vmid, node, state, wanted }: (typeof services)[number]) =>
      `${vmid} ${plainName(state)}${node === undefined ? '' : ` on ${plainName(node)}`}${wanted === undefined || wanted === state ? '' : `, wanted ${plainName(wanted)}`}`
    return {
      text: [
        `HA: ${quorum}, ${services.length} managed guests${master === undefined ? '' : `, master ${managerLine(master)}`}.`,
        ...services.toSorted((a, b) => Number(odd.includes(b)) - Number(odd.includes(a))).map(serviceLine),
        ...(nodes.length === 0 ? [] : ['Managers of the nodes:']),
        ...nodes.map(managerLine),
        ...(silent.length > 0
          ? [`Not heard of for 2 min: ${silent.map(({ node }) => plainName(node)).join(', ')}.`]
          : []),
      ].join('\n'),
      summary: `${quorum}, ${services.length} managed, ${odd.length === 0 ? 'all at rest' : `${odd.length} not at rest`}`,
      data: { isQuorate, ...(master && { master }), nodes, services },
    }
  },
})
