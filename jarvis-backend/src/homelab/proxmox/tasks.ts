import { newest } from 'homelab-ports/newest-tasks'
import type { Partial } from 'homelab-ports/ports'
import type { ClusterState, Task } from 'protocol'
import { rowsOf, TaskRow } from '../pve/answers.ts'
import { hiddenLine, type Rights, sightOf } from '../pve/rights.ts'
import { taskOf } from '../pve/upid.ts'
import { eachOf } from './each.ts'
import type { Api } from './transport.ts'

const width = 6
const answerMs = 8_000

/** `own`: tasks that JARVIS started. */
type TaskSource = { api: Api; rights: Rights; own: readonly Task[]; state: Pick<ClusterState, 'nodes'> }

/**
 * Reads the newest tasks of one node or of all nodes, running tasks included. The cluster's list has only the last few tasks of each node; if these
 * are too few, the nodes are asked. `missing` names the parts that could not be read.
 */
export async function readTasks(
  { api, rights, own, state }: TaskSource,
  { node, type, limit }: { node?: string; type?: string; limit: number },
  signal: AbortSignal,
): Promise<Partial<Task>> {
  const asked = state.nodes.filter(({ name }) => node === undefined || name === node)
  const missing = asked.filter(({ status }) => status !== 'online').map(({ name, status }) => `${name} is ${status}`)
  missing.push(...hiddenLine(rights, 'tasks'))
  const known = new Map<string, Task>()
  const add = (tasks: readonly Task[]) => {
    for (const task of tasks) {
      const before = known.get(task.upid)
      if (before === undefined || before.status === 'running') known.set(task.upid, task)
    }
  }
  add(own)
  let isListed = false
  let nodesRead = 0
  if (node === undefined) {
    try {
      add(rowsOf(TaskRow, await api.get(['cluster', 'tasks'], {}, { signal })).rows.flatMap(taskOf))
      isListed = true
    } catch (error) {
      if (signal.aborted) throw signal.reason
      missing.push(`the cluster's list of tasks cannot be read: ${wordsOf(error)}`)
    }
  }
  if (!isListed || known.size < limit) {
    const online = asked.filter(({ status }) => status === 'online')
    await eachOf(online, width, async ({ name }) => {
      try {
        const data = await api.get(
          ['nodes', name, 'tasks'],
          { source: 'all', limit: String(limit), ...(type !== undefined && { typefilter: type }) },
          { signal, answerMs },
        )
        add(rowsOf(TaskRow, data).rows.flatMap(taskOf))
        nodesRead += 1
      } catch (error) {
        if (signal.aborted) throw signal.reason
        missing.push(`tasks of ${name} cannot be read: ${wordsOf(error)}`)
      }
    })
  }
  const items = [...known.values()].filter(
    (task) => (node === undefined || task.node === node) && (type === undefined || task.type === type),
  )
  const isHidden = items.length === 0 && sightOf(rights, 'tasks') !== 'all'
  return { items: newest(items, limit), missing, isUnread: isHidden || (!isListed && nodesRead === 0) }
}

const wordsOf = (error: unknown) => (error instanceof Error ? error.message : String(error)).replace(/\.$/, '')
