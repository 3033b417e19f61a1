import { z } from 'zod'
import { nodeTarget } from '../../gate/targets.ts'
import { oneLine, plainName } from '../../homelab/format.ts'
import { runTask } from '../../homelab/operations/run-task.ts'
import { homelabTool, rights } from '../homelab/homelab-tool.ts'
import { NodeName } from '../homelab/inputs.ts'
import { requireNode } from '../homelab/listing.ts'
import { TaskEndOutput } from '../outputs.ts'

export const refreshPackageLists = homelabTool({
  name: 'refresh_package_lists',
  title: 'Refresh a node’s package lists',
  description: 'Refreshes a node’s package lists (apt update), so that get_updates is current. Installs nothing.',
  tier: 'yellow',
  touches: [{ kind: 'data', on: 'node' }],
  effects: ({ node }, world) => [
    {
      kind: 'data',
      on: 'node',
      target: nodeTarget(node, world),
      deed: `refresh the package lists of ${node}`,
      sentence: 'The node’s package lists are refreshed; nothing is installed.',
    },
  ],
  undo: () => ({ kind: 'none', because: 'The lists only say what could be installed.' }),
  ending: ({ node }) => ({ look: `Look with get_recent_tasks for aptupdate on ${node}.` }),
  needs: [rights.services],
  timeoutMs: 180_000,
  input: z.strictObject({ node: NodeName.describe('Exact name.') }),
  output: TaskEndOutput,
  async run({ node }, context, { api, cluster }) {
    requireNode(cluster.state(), node)
    const path = ['nodes', node, 'apt', 'update']
    const { ok, exitStatus, upid } = await runTask(api, { path, what: `the refresh on ${node}` }, context)
    const said = oneLine(exitStatus, 300)
    return {
      text: ok
        ? `The package lists of ${plainName(node)} are refreshed (${said}). get_updates lists what is new.`
        : `The package lists of ${plainName(node)} were not refreshed: "${said}".${upid === undefined ? '' : ' get_task_log says more.'}`,
      summary: ok ? 'refreshed' : `not refreshed: ${oneLine(exitStatus, 120)}`,
      data: { node, ok, exitStatus, ...(upid !== undefined && { upid }) },
      isError: !ok,
    }
  },
})
