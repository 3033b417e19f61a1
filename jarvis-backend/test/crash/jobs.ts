import { randomUUID } from 'node:crypto'
import type { Fate, Job } from './operator.ts'
import { messageFor, type PlannedCall } from './planned-model.ts'
import type { JobKind } from './steps.ts'

/** Guests from here on are the experiment's: even ones are VMs, every fifth is stopped. Each is named by one message. */
const firstVmid = 1000
const mostLeft = 3

/**
 * Thinks of the next message: one to three red calls, some of which are denied, left waiting, refused by the cluster or
 * end in a failed task; at times two on the same guest, at times in a session that is there already.
 */
export function createJobs(random: () => number, jobs: readonly Job[], failNext: (vmid: number) => Promise<unknown>) {
  let vmid = firstVmid
  let left = 0
  const oneIn = (count: number) => random() < 1 / count

  function plan(): PlannedCall {
    const at = vmid++
    const kind = at % 2 === 0 ? 'vm' : 'container'
    const isStopped = at % 5 === 0
    // Now and then what the cluster refuses: to start what runs, to stop what does not.
    const isRefused = oneIn(12)
    const action = isStopped !== isRefused ? 'start' : oneIn(2) ? 'stop' : 'restart'
    const toolInput = { vmid: at, ...(action !== 'start' && oneIn(3) && { force: true }) }
    return { toolName: `${action}_${kind}`, toolInput }
  }

  /** Calls that take two tasks, or leave two tasks that look alike, on a guest that runs. */
  function special(kind: JobKind): PlannedCall[] {
    while (vmid % 5 === 0 || (kind === 'two tasks' && vmid % 2 === 0)) vmid += 1
    const toolInput = { vmid: vmid++, ...(kind === 'two tasks' && { force: true }) }
    const call = { toolName: toolInput.vmid % 2 === 0 ? 'restart_vm' : 'restart_container', toolInput }
    // Equal calls of one turn run once, so the second says what the first leaves out.
    return kind === 'two tasks' ? [call] : [call, { ...call, toolInput: { ...toolInput, force: false } }]
  }

  return async (kind?: JobKind): Promise<Job> => {
    const calls = kind === undefined ? (oneIn(8) ? special('two alike') : [plan()]) : special(kind)
    const fates = new Map<number, Fate>(calls.map(({ toolInput }) => [toolInput.vmid, 'approve']))
    for (let more = kind === undefined && calls.length === 1 ? Math.floor(random() * 3) : 0; more > 0; more -= 1) {
      const call = plan()
      calls.push(call)
      const mayLeave = left < mostLeft && oneIn(5)
      if (mayLeave) left += 1
      fates.set(call.toolInput.vmid, mayLeave ? 'leave' : oneIn(4) ? 'deny' : 'approve')
    }
    for (const at of fates.keys()) if (kind === undefined && oneIn(8)) await failNext(at)
    const after = oneIn(3) ? jobs.at(Math.floor(random() * jobs.length)) : undefined
    return {
      message: messageFor(`Message ${jobs.length + 1}.`, calls),
      fates,
      calls: calls.length,
      requestId: randomUUID(),
      ...(after?.sent !== undefined && { after }),
    }
  }
}
