import type { Task } from 'protocol'
import { clusterTime } from 'protocol/facts'
import { z } from 'zod'
import { ageOf, oneLine, plainName } from '../../homelab/format.ts'
import { readTaskLog } from '../../homelab/operations/task-log.ts'
import { upidShape } from '../../homelab/pve/upid.ts'
import { homelabTool, quoting, rights } from '../homelab/homelab-tool.ts'
import { NodeName, readTimeoutMs, textLike, Vmid } from '../homelab/inputs.ts'
import { missingText, requireNode } from '../homelab/listing.ts'
import { TaskLogOutput } from '../outputs.ts'

const usual = 40
/** Maximum number of lines about problems that are shown from before the last lines. */
const mostTroubles = 12
const trouble = /\b(?:error|fail(?:ed|ure)?|abort(?:ed)?|warn(?:ing)?|cannot|could not|timeout|denied)\b/i

export const getTaskLog = homelabTool({
  ...quoting,
  name: 'get_task_log',
  title: 'Read a task’s log',
  description:
    'Reads the log of the newest task that matches, or of `upid`: its last lines, and earlier ones that speak of errors.',
  needs: [rights.nodes],
  timeoutMs: readTimeoutMs,
  input: z.strictObject({
    // The UPID becomes part of a path, so only a valid UPID is accepted.
    upid: textLike(upidShape, 'must be a UPID as Proxmox writes it')
      .optional()
      .describe('One task; the rest is then ignored.'),
    node: NodeName.optional().describe('Its node.'),
    vmid: Vmid.optional().describe('Its guest.'),
    type: z
      .string()
      .regex(/^\w{1,40}$/)
      .optional()
      .describe('As get_recent_tasks says it: vzdump.'),
    failed: z.boolean().optional().describe('true: a failed one.'),
    lines: z.int().min(1).max(200).optional().describe(`Last lines. Absent: ${usual}.`),
  }),
  example: {},
  output: TaskLogOutput,
  async run(asked, context, { api, cluster }) {
    const state = cluster.state()
    requireNode(state, asked.node)
    const query = { limit: 200, node: asked.node }
    const { items, missing } = await cluster.tasks(query, context)
    const task = items.find((candidate) => isAsked(candidate, asked))
    const upid = task?.upid ?? asked.upid
    const node = task?.node ?? asked.upid?.split(':')[1]
    if (upid === undefined || node === undefined) {
      const text = [...missingText(missing), 'No such task among the newest 200.'].join('\n')
      return { text, summary: 'no such task', isError: true }
    }
    // The UPID is in no list of tasks. Its node goes into a path, so the node must be one of the cluster.
    requireNode(state, node)
    const { lines, isWhole } = await readTaskLog(api, { node, upid }, context.signal)
    const last = lines.slice(-(asked.lines ?? usual))
    const before = lines.slice(0, lines.length - last.length)
    const troubles = before.filter((line) => trouble.test(line)).slice(-mostTroubles)
    const head = [
      task === undefined ? plainName(upid) : taskWords(task, clusterTime(state.at, state)),
      lines.length === 0
        ? 'Its log is empty.'
        : `${lines.length} lines${isWhole ? '' : ' read, and it goes on'}, the last ${last.length}:`,
    ]
    return {
      text: [
        ...head,
        ...(troubles.length > 0 ? ['(earlier, of trouble:)', ...troubles.map(cut), '(the last:)'] : []),
        ...last.map(cut),
      ].join('\n'),
      summary: task === undefined ? `${lines.length} lines` : `${plainName(task.type)}: ${endOf(task)}`,
      data: { upid, node, ...(task && { task }), lines: last, troubles, total: isWhole ? lines.length : null },
    }
  },
})

function isAsked(
  task: Task,
  {
    upid,
    node,
    vmid,
    type,
    failed,
  }: {
    upid?: string | undefined
    node?: string | undefined
    vmid?: number | undefined
    type?: string | undefined
    failed?: boolean | undefined
  },
): boolean {
  if (upid !== undefined) return task.upid === upid
  return (
    (node === undefined || task.node === node) &&
    (vmid === undefined || task.vmid === vmid) &&
    (type === undefined || task.type === type) &&
    (failed !== true || task.status === 'failed')
  )
}

const cut = (line: string) => oneLine(line, 300)
const endOf = ({ status, exitStatus, reason }: Task) =>
  status === 'running' ? 'running' : oneLine(reason ?? exitStatus ?? status, 120)
const taskWords = (task: Task, now: number) =>
  `${plainName(task.type)}${task.vmid === undefined ? '' : ` ${task.vmid}`} on ${plainName(task.node)}, ${ageOf(task.startedAt, now)}: ${endOf(task)}`
