import { z } from 'zod'
import { nodeTarget } from '../../src/gate/targets.ts'
import { oneLine, plainName } from '../../src/homelab/format.ts'
import { homelabTool } from '../../src/tools/homelab/homelab-tool.ts'
import { NodeName } from '../../src/tools/homelab/inputs.ts'

export const refreshPackages = homelabTool({
  name: 'refresh_packages',
  title: 'Refresh the list of packages',
  description: 'Runs apt-get update on one node and returns its output. Installs nothing.',
  tier: 'yellow',
  timeoutMs: 120_000,
  input: z.strictObject({ node: NodeName.describe('The node’s exact name.') }),
  example: { node: 'pve' },
  touches: [{ kind: 'data', on: 'node' }],
  effects: ({ node }, world) => [
    {
      kind: 'data',
      on: 'node',
      target: nodeTarget(node, world),
      sentence: `The list of packages on ${node} is refreshed.`,
    },
  ],
  ending: ({ node }) => ({ look: `Look on ${node} at the time of /var/lib/apt/lists.` }),
  async run({ node }, context, { shell }) {
    const { exitCode, stdout, stderr } = await shell.run(node, [['apt-get', 'update']], context)
    const said = oneLine(`${stdout} ${stderr}`.trim(), 500)
    return {
      text: `${plainName(node)}, exit code ${exitCode}: ${said}`,
      summary: exitCode === 0 ? 'refreshed' : `exit code ${exitCode}`,
      data: { node, exitCode },
      isError: exitCode !== 0,
    }
  },
})
