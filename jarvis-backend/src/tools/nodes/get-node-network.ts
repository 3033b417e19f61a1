import { z } from 'zod'
import { oneLine, plainName } from '../../homelab/format.ts'
import { readNetwork } from '../../homelab/operations/node-network.ts'
import { homelabTool, quoting, rights } from '../homelab/homelab-tool.ts'
import { NodeName, readTimeoutMs } from '../homelab/inputs.ts'
import { missingText, notRead, requireNode } from '../homelab/listing.ts'

export const getNodeNetwork = homelabTool({
  ...quoting,
  name: 'get_node_network',
  title: 'Show a node’s network',
  description: 'Lists a node’s network interfaces as configured, and changes that are staged there.',
  needs: [rights.bridges],
  timeoutMs: readTimeoutMs,
  input: z.strictObject({ node: NodeName.describe('Exact name.') }),
  example: { node: 'pve' },
  output: z.object({
    node: z.string(),
    interfaces: z.array(
      z.object({
        name: z.string(),
        type: z.string(),
        isActive: z.boolean().nullable(),
        values: z.record(z.string(), z.string()),
      }),
    ),
    staged: z.string().optional().describe('A diff that waits for a reload.'),
    missing: z.array(z.string()).describe('What the token may not see.'),
  }),
  async run({ node }, { signal }, { api, cluster }) {
    requireNode(cluster.state(), node)
    const { interfaces, staged, hidden } = await readNetwork(api, node, signal)
    const missing = hidden === undefined ? [] : [`bridges beyond those listed: ${hidden}`]
    const count = `${interfaces.length} ${interfaces.length === 1 ? 'interface' : 'interfaces'}`
    const lines = interfaces.map(({ name, type, isActive, values }) => {
      const set = Object.entries(values).map(([key, value]) => `${key} ${oneLine(value, 120)}`)
      const state = isActive === false ? ', not active' : isActive === null ? ', active: unknown' : ''
      return `${oneLine(name, 40)} (${oneLine(type, 20)}${state}): ${set.join(', ') || 'nothing set'}`
    })
    const waits =
      staged === undefined ? [] : ['Staged, and not in force yet:', ...staged.split('\n').map((line) => oneLine(line))]
    return {
      text: [...missingText(missing), `Network of ${plainName(node)}: ${count}.`, ...lines, ...waits].join('\n'),
      summary: [...notRead(missing), `${count}${staged === undefined ? '' : ', changes staged'}`].join('; '),
      data: { node, interfaces, missing, ...(staged !== undefined && { staged }) },
    }
  },
})
