import type { PveApi } from 'homelab-ports/ports'
import { z } from 'zod'
import { nodeTarget } from '../../gate/targets.ts'
import { oneLine, plainName } from '../../homelab/format.ts'
import { runTask } from '../../homelab/operations/run-task.ts'
import { readTaskLog } from '../../homelab/operations/task-log.ts'
import { homelabTool, rights } from '../homelab/homelab-tool.ts'
import { NodeName } from '../homelab/inputs.ts'
import { requireNode } from '../homelab/listing.ts'
import { TaskEndOutput } from '../outputs.ts'

/** Maximum number of lines of a log that the answer repeats. */
const mostLines = 4

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
  undo: () => ({ kind: 'none', because: 'The lists only say what could be installed.', losesNothing: true }),
  ending: ({ node }) => ({ look: `Look with get_recent_tasks for aptupdate on ${node}.` }),
  needs: [rights.services],
  timeoutMs: 180_000,
  input: z.strictObject({ node: NodeName.describe('Exact name.') }),
  example: { node: 'pve' },
  output: TaskEndOutput,
  async run({ node }, context, { api, cluster }) {
    requireNode(cluster.state(), node)
    const path = ['nodes', node, 'apt', 'update']
    const { ok, exitStatus, upid } = await runTask(api, { path, what: `the refresh on ${node}` }, context)
    const said = oneLine(exitStatus, 300)
    const missed = upid === undefined ? [] : await missedIn(api, { node, upid }, context.signal)
    const isPart = ok && missed !== undefined && missed.length > 0
    const ended = isPart ? 'are refreshed in part' : ok ? 'are refreshed' : 'were not refreshed'
    const log =
      missed === undefined
        ? ' Its log could not be read, so whether each list came is not known.'
        : missed.length === 0
          ? ''
          : ` Its log says: ${missed.slice(0, mostLines).join('; ')}.`
    const next = ok ? ' get_updates lists what is new.' : upid === undefined ? '' : ' get_task_log says more.'
    return {
      text: `The package lists of ${plainName(node)} ${ended}: "${said}".${log}${next}`,
      summary: ok ? ended.replace('are ', '') : `not refreshed: ${oneLine(exitStatus, 120)}`,
      data: { node, ok: ok && !isPart, exitStatus, ...(upid !== undefined && { upid }) },
      isError: !ok || isPart,
    }
  },
})

/**
 * The sources that apt could not fetch, read from the task's log, because the task succeeds all the same. Undefined if the log cannot be read.
 * @throws the signal's reason
 */
async function missedIn(api: PveApi, task: { node: string; upid: string }, signal: AbortSignal) {
  try {
    const { lines } = await readTaskLog(api, task, signal)
    return lines.filter((line) => /^(?:Err:\d|[EW]: )/.test(line)).map((line) => oneLine(line, 160))
  } catch {
    if (signal.aborted) throw signal.reason
    return undefined
  }
}
