import { z } from 'zod'
import { oneLine, plainName } from '../../homelab/format.ts'
import { type PendingUpdate, readUpdates } from '../../homelab/operations/packages.ts'
import { homelabTool, quoting, rights } from '../homelab/homelab-tool.ts'
import { NodeName } from '../homelab/inputs.ts'
import { missingText, notRead, requireNode } from '../homelab/listing.ts'
import { UpdatesOutput } from '../outputs.ts'

const mostLines = 40

export const getUpdates = homelabTool({
  ...quoting,
  name: 'get_updates',
  title: 'List a node’s updates',
  description:
    'Lists a node’s pending package updates as of its last refresh (refresh_package_lists), and whether a newer kernel waits for a reboot.',
  needs: [rights.services, rights.nodes],
  timeoutMs: 60_000,
  input: z.strictObject({ node: NodeName.describe('Exact name.') }),
  example: { node: 'pve' },
  output: UpdatesOutput,
  async run({ node }, { signal }, { api, cluster }) {
    requireNode(cluster.state(), node)
    const { pending, runningKernel, newestKernel, missing } = await readUpdates(api, node, signal)
    const needsReboot =
      runningKernel === undefined || newestKernel === undefined ? null : runningKernel !== newestKernel
    const left = (pending?.length ?? 0) - mostLines
    const count = pending === null ? 'updates unknown' : `${pending.length} updates`
    return {
      text: [
        ...missingText(missing),
        `${plainName(node)}: ${count}.`,
        ...(pending ?? []).slice(0, mostLines).map(lineOf),
        ...(left > 0 ? [`${left} more.`] : []),
        needsReboot === null
          ? 'Whether a reboot is needed for the kernel is unknown.'
          : needsReboot
            ? `Kernel ${oneLine(runningKernel ?? '', 60)} runs, ${oneLine(newestKernel ?? '', 60)} is installed: it needs a reboot.`
            : `Kernel ${oneLine(runningKernel ?? '', 60)} is the newest installed one.`,
      ].join('\n'),
      summary: [...notRead(missing), `${count}${needsReboot === true ? ', needs a reboot' : ''}`].join('; '),
      data: {
        node,
        pending: pending === null ? null : pending.slice(0, 200),
        total: pending?.length ?? null,
        needsReboot,
        ...(runningKernel !== undefined && { runningKernel }),
        ...(newestKernel !== undefined && { newestKernel }),
        missing,
      },
      isError: pending === null && needsReboot === null,
    }
  },
})

const lineOf = ({ name, from, to, origin }: PendingUpdate) =>
  `${plainName(name)} ${oneLine(from ?? 'new', 60)} → ${oneLine(to ?? 'unknown', 60)}${origin === undefined ? '' : ` (${plainName(origin)})`}`
