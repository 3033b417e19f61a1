import { z } from 'zod'
import { oneLine, plainName } from '../../homelab/format.ts'
import { readNodeJournal } from '../../homelab/operations/node-journal.ts'
import { clusterNow, homelabTool, quoting, rights } from '../homelab/homelab-tool.ts'
import { NodeName } from '../homelab/inputs.ts'
import { requireNode } from '../homelab/listing.ts'
import { NodeJournalOutput } from '../outputs.ts'

const usual = 60

export const getNodeJournal = homelabTool({
  ...quoting,
  name: 'get_node_journal',
  title: 'Read a node’s journal',
  description:
    'Reads a node’s system journal, newest lines last, in the node’s own time. Use it for kernel messages, killed processes and services that fail.',
  needs: [rights.journal],
  timeoutMs: 30_000,
  input: z.strictObject({
    node: NodeName.describe('Exact name.'),
    sinceMinutes: z.int().min(1).max(1_440).optional().describe('How far back. Absent: the newest lines.'),
    contains: z.string().min(2).max(100).optional().describe('Only lines with this text.'),
    lines: z.int().min(1).max(200).optional().describe(`Absent: ${usual}.`),
  }),
  example: { node: 'pve' },
  output: NodeJournalOutput,
  async run({ node, sinceMinutes, contains, lines: most = usual }, { signal }, ports) {
    const { api, cluster } = ports
    requireNode(cluster.state(), node)
    const sinceMs = sinceMinutes === undefined ? undefined : clusterNow(ports) - sinceMinutes * 60_000
    const { lines, found } = await readNodeJournal(api, { node, sinceMs, contains, most }, signal)
    const span = sinceMinutes === undefined ? '' : ` of the last ${sinceMinutes} min`
    const left = found > lines.length ? `, ${found - lines.length} older ones left out` : ''
    return {
      text: [
        `Journal of ${plainName(node)}${span}: ${lines.length} lines${left}.`,
        ...lines.map((line) => oneLine(line, 300)),
      ].join('\n'),
      summary: `${found} lines${contains === undefined ? '' : ' found'}`,
      data: { node, lines, found },
    }
  },
})
