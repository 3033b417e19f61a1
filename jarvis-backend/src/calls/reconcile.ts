import type { Cluster } from 'homelab-ports/ports'
import { sleep } from 'node-kit/clock'
import type { Guest, Task } from 'protocol'
import type { Ending } from '../gate/effect.ts'
import type { Clock } from '../lib/clock.ts'
import type { Execution, ExecutionStore, Outcome } from './ports.ts'

/** The outcome that was found for a call that was claimed and has no result. `text`: the observations, in words. */
export type Reconciled = { outcome: Outcome; text: string; upid?: string }

/** Tolerance, ms: task times are whole seconds, and the cluster's clock is known to about one second. */
const slackMs = 2_000
const lookEveryMs = 1_000
const newestTasks = 200
/** The longest time between a VM's shutdown for a reboot and the task of its start, ms. */
const startWithinMs = 15_000

/** A claimed call whose outcome has to be found out. */
export type Unsettled = {
  /** The tool's description of how to find the outcome; absent if the tool has none. */
  ending: Ending | undefined
  claimed: Pick<Execution, 'startedAt' | 'upid'>
  /** Other calls on the same guest. */
  others: ReturnType<ExecutionStore['others']>
}

/**
 * Finds a call's outcome. Settles the call as done or failed only if the cluster's task log makes that certain. If the call's UPID is known, its own
 * task decides. Otherwise the only task of that kind on that guest since the claim decides, by the cluster's clock. Changes nothing in the cluster,
 * and gives up if `signal` aborts.
 */
export async function reconcile(
  { ending, claimed: { startedAt, upid }, others }: Unsettled,
  { cluster, clock }: { cluster: Cluster; clock: Clock },
  signal: AbortSignal,
): Promise<Reconciled> {
  if (ending !== undefined && 'begun' in ending) return { outcome: 'done', text: ending.begun }
  const { vmid, types = [], goal, isTwoStep = false } = ending !== undefined && 'types' in ending ? ending : noTask
  if (upid === undefined && vmid === undefined) {
    const isTold = ending !== undefined && 'look' in ending
    return { outcome: 'unknown', text: isTold ? ending.look : noRecord }
  }

  for (;;) {
    const { items, missing } = await cluster.tasks({ limit: newestTasks }, { signal })
    await cluster.catchUp?.(vmid)
    const seen = observed(cluster, vmid)
    // Convert the time only now: the reply with the tasks tells the cluster's clock.
    const claimedAt = cluster.timeThere === undefined ? startedAt : cluster.timeThere(startedAt)
    if (upid === undefined && claimedAt === undefined) return { outcome: 'unknown', text: `${noClock} ${seen}` }
    const isOurs = ({ upid: id, vmid: of, type, startedAt: since }: Task) =>
      upid === undefined
        ? of === vmid && !others.upids.has(id) && types.includes(type) && since >= (claimedAt ?? startedAt) - slackMs
        : id === upid
    const found = items.filter(isOurs)
    const [task] = found
    if (found.length !== 1 || task === undefined || (upid === undefined && others.open > 0)) {
      const tasks = found.length === 0 ? 'no task of this call' : `${found.length} tasks that could belong to this call`
      const unread = missing.length === 0 ? '' : ` Not read: ${missing.join(', ')}.`
      return { outcome: 'unknown', text: `Proxmox shows ${tasks} since it began.${unread} ${seen}` }
    }
    if (task.status === 'running') {
      await sleep(clock, lookEveryMs, signal)
      continue
    }
    if (isTwoStep && task.type === 'vzstop' && task.status !== 'failed') {
      return { outcome: 'unknown', text: `Proxmox shows that it was stopped, and no start after that. ${seen}` }
    }
    // The task of a VM's reboot only shuts the VM down. A second task starts it.
    if (task.type === 'qmreboot' && task.status !== 'failed') {
      const { endedAt = clock.now() } = task
      const start = items.find(
        (one) => one.type === 'qmstart' && one.vmid === task.vmid && one.startedAt >= task.startedAt,
      )
      const isAwaited = start === undefined && statusOf(cluster, vmid) !== 'running'
      if (start?.status === 'running' || (isAwaited && clock.now() - endedAt < startWithinMs)) {
        await sleep(clock, lookEveryMs, signal)
        continue
      }
      if (start?.status === 'failed') {
        const text = `It was shut down for the reboot, and its start failed: ${wordsOf(start)}. ${seen}`
        return { outcome: 'failed', upid: start.upid, text }
      }
      if (isAwaited)
        return {
          outcome: 'unknown',
          text: `Proxmox shows that it was shut down for the reboot, and no start after that. ${seen}`,
        }
    }
    // HA's own task ends once HA has accepted the request. If the change has a goal, the guest's state shows if it was reached.
    if (
      task.type.startsWith('ha') &&
      task.status !== 'failed' &&
      (goal === undefined || statusOf(cluster, vmid) !== goal)
    ) {
      return { outcome: 'unknown', text: `HA has taken the request and may still act. ${seen}` }
    }
    const outcome = task.status === 'failed' ? 'failed' : 'done'
    return { outcome, upid: task.upid, text: `Its task ${task.type} ended: ${wordsOf(task)}. ${seen}` }
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

/** Returns Proxmox's text about the end of a task. If the exit status says only that something failed, the reason from the log is added. */
const wordsOf = ({ reason, exitStatus, status }: Task) =>
  reason === undefined ? (exitStatus ?? status) : `${exitStatus}: ${reason}`

const noTask: Partial<Extract<Ending, { vmid: number }>> = {}
const noClock = 'No answer gave the cluster’s time, so JARVIS cannot tell which task is of this call.'
const noRecord = 'JARVIS keeps no record of what this tool changed. Look at what it should have changed.'
