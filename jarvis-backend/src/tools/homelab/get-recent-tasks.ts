import { spanOf } from 'node-kit/words'
import type { Task } from 'protocol'
import { clusterTime } from 'protocol/facts'
import { z } from 'zod'
import { ageOf, oneLine, plainName } from '../../homelab/format.ts'
import { TasksOutput } from '../outputs.ts'
import { homelabTool, reading, rights } from './homelab-tool.ts'
import { limitOf, nodeFilter, readTimeoutMs } from './inputs.ts'
import { missingText, notRead } from './listing.ts'

const usual = 20

export const getRecentTasks = homelabTool({
  name: 'get_recent_tasks',
  title: 'List recent tasks',
  description:
    'Lists the cluster’s tasks, newest first, one line each: when, node, Proxmox’s task type (vzdump is a backup, qmreboot a VM’s reboot), guest id, how it ended in Proxmox’s own words. Use it to see what failed or still runs.',
  ...reading,
  needs: [rights.nodes],
  timeoutMs: readTimeoutMs,
  input: z.strictObject({ node: nodeFilter, limit: limitOf(usual) }),
  example: {},
  output: TasksOutput,
  async run({ node, limit }, context, { cluster }) {
    const asked = { limit: limit ?? usual, node }
    const { items, missing, isUnread: isBlind = false } = await cluster.tasks(asked, context)
    const state = cluster.state()
    const now = clusterTime(state.at, state)
    return {
      text: [
        ...missingText(missing),
        isBlind ? 'No task could be read.' : items.length === 0 ? 'No tasks.' : `${items.length} tasks, newest first.`,
        ...items.map((task, index) => taskLine(task, items[index - 1], now)),
      ].join('\n'),
      summary: [...notRead(missing), isBlind ? 'tasks unknown' : summaryOf(items)].join('; '),
      data: { tasks: isBlind ? null : items, missing },
      isError: isBlind,
    }
  },
})

/** @param above the task of the line before; a reason that it gave already is not repeated */
function taskLine(task: Task, above: Task | undefined, now: number): string {
  const { node, type, vmid, startedAt, endedAt, status, exitStatus, reason } = task
  const what = `${ageOf(startedAt, now)} ${plainName(node)} ${plainName(type)}${vmid === undefined ? '' : ` ${vmid}`}`
  if (endedAt === undefined || status === 'running') return `${what}: running`
  const words = oneLine(reason ?? exitStatus ?? 'no reason given', 300)
  const isSame = exitStatus === above?.exitStatus && reason === above?.reason
  const end = status === 'ok' ? 'OK' : `${status}: ${isSame ? 'for the same reason' : words}`
  return `${what}: ${end}, took ${spanOf((endedAt - startedAt) / 1000)}`
}

/** The summary of tasks: `vzdump failed for 9 guests`. */
function summaryOf(tasks: readonly Task[]): string {
  const failed = tasks.filter(({ status }) => status === 'failed')
  const running = tasks.filter(({ status }) => status === 'running').length
  if (failed.length === 0) return `${tasks.length} tasks, none failed${running > 0 ? `, ${running} running` : ''}`
  const types = [...new Set(failed.map(({ type }) => type))]
  return types
    .map((type) =>
      failureOf(
        plainName(type),
        failed.filter((task) => task.type === type),
      ),
    )
    .join(', ')
}

function failureOf(type: string, failed: readonly Task[]): string {
  const guests = new Set(failed.flatMap(({ vmid }) => (vmid === undefined ? [] : [vmid]))).size
  if (guests === 0) return failed.length === 1 ? `${type} failed` : `${type} failed ${failed.length} times`
  return `${type} failed for ${guests} ${guests === 1 ? 'guest' : 'guests'}`
}
