import type { Cluster } from '../homelab/ports.ts'
import { type Clock, sleep } from '../lib/clock.ts'
import type { Guest, Task, ToolCall } from '../protocol/index.ts'
import type { Execution, ExecutionStore, Outcome } from './ports.ts'

/** What the cluster says of a call that was claimed and left no result. `text` says what was observed. */
export type Reconciled = { outcome: Outcome; text: string; upid?: string }

/** Proxmox's words for what each power action may start; HA puts its own before them. */
const taskTypes: Record<string, readonly string[]> = {
  start: ['qmstart', 'vzstart', 'hastart'],
  stop: ['qmshutdown', 'qmstop', 'vzshutdown', 'vzstop', 'hastop', 'hashutdown'],
  restart: ['qmreboot', 'qmreset', 'vzreboot', 'vzstop', 'vzstart'],
}
/** Task times are whole seconds. */
const slackMs = 1_000
const lookEveryMs = 1_000
const newestTasks = 200

/**
 * Settles as done or failed only what the cluster's task log makes certain: the call's own task where its UPID is
 * known, else the only task of its kind on that guest since the claim. Changes nothing, and gives up with `signal`.
 */
export async function reconcile(
  call: Pick<ToolCall, 'toolName' | 'toolInput'>,
  { startedAt, upid }: Execution,
  others: ReturnType<ExecutionStore['others']>,
  cluster: Cluster,
  clock: Clock,
  signal: AbortSignal,
): Promise<Reconciled> {
  const { vmid } = call.toolInput
  const action = /^(start|stop|restart)_(?!_)/.exec(call.toolName)?.[1] ?? ''
  const isOurs = ({ upid: id, vmid: of, type, startedAt: since }: Task) =>
    upid === undefined
      ? of === vmid && !others.upids.has(id) && (taskTypes[action] ?? []).includes(type) && since >= startedAt - slackMs
      : id === upid
  if (upid === undefined && (typeof vmid !== 'number' || action === '')) {
    return { outcome: 'unknown', text: whereToLook(call) }
  }

  for (;;) {
    const { items, missing } = await cluster.tasks({ limit: newestTasks }, { signal })
    await cluster.catchUp?.(typeof vmid === 'number' ? vmid : undefined)
    const found = items.filter(isOurs)
    const [task] = found
    const seen = observed(cluster, vmid)
    if (found.length !== 1 || task === undefined || (upid === undefined && others.open > 0)) {
      const tasks = found.length === 0 ? 'no task of this call' : `${found.length} tasks that could belong to this call`
      const unread = missing.length === 0 ? '' : ` Not read: ${missing.join(', ')}.`
      return { outcome: 'unknown', text: `Proxmox shows ${tasks} since it began.${unread} ${seen}` }
    }
    if (task.status === 'running') {
      await sleep(clock, lookEveryMs, signal)
      continue
    }
    if (action === 'restart' && task.type === 'vzstop' && task.status !== 'failed') {
      return { outcome: 'unknown', text: `Proxmox shows that it was stopped, and no start after that. ${seen}` }
    }
    // HA's own task ends when it has taken the request: the guest says whether it was done.
    const goal = action === 'stop' ? 'stopped' : 'running'
    if (task.type.startsWith('ha') && task.status !== 'failed' && statusOf(cluster, vmid) !== goal) {
      return { outcome: 'unknown', text: `HA has taken the request and may still act. ${seen}` }
    }
    const outcome = task.status === 'failed' ? 'failed' : 'done'
    return { outcome, upid: task.upid, text: `Its task ${task.type} ended: ${task.exitStatus ?? task.status}. ${seen}` }
  }
}

const statusOf = (cluster: Cluster, vmid: unknown) =>
  cluster.state().guests.find((candidate) => candidate.vmid === vmid)?.status

function observed(cluster: Cluster, vmid: unknown): string {
  const guest: Guest | undefined = cluster.state().guests.find((candidate) => candidate.vmid === vmid)
  if (guest === undefined) return typeof vmid === 'number' ? `The state of ${vmid} is unknown now.` : ''
  return guest.status === 'unknown'
    ? `The state of ${guest.vmid} is unknown now: ${guest.node} does not answer.`
    : `${guest.vmid} is seen ${guest.status} now.`
}

/** Where a person sees whether a call took effect that Proxmox keeps no task of. */
function whereToLook({ toolName, toolInput: { node, service } }: Pick<ToolCall, 'toolName' | 'toolInput'>): string {
  const place = typeof node === 'string' ? node : 'the node'
  if (toolName === 'execute_ssh') {
    return `Proxmox keeps no record of SSH commands, so JARVIS cannot find out. Look on ${place} at what the command should have changed, and with ps whether it still runs.`
  }
  if (toolName === 'restart_service') {
    return `Proxmox names no task of it, so JARVIS cannot find out. Look on ${place} with "systemctl status ${String(service)}": the time after "since" shows whether it was restarted.`
  }
  if (toolName === 'wake_node') return `Look with get_cluster_status whether ${place} is online.`
  return 'JARVIS keeps no record of what this tool changed. Look at what it should have changed.'
}
