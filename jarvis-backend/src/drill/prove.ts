import type { Cluster, PveApi } from 'homelab-ports/ports'
import { runTask } from '../homelab/operations/run-task.ts'
import { askCopy } from './ask-copy.ts'
import { copyPath, lookAt, restoreForm } from './copy.ts'
import { type Drill, markOf } from './drill.ts'
import { leaksIn, netsOf } from './guest-config.ts'
import type { Plan } from './plan.ts'
import { nextStep, type StepEvent } from './steps.ts'

/** Thrown if the drill shows that the backup does not work. */
export class NotProven extends Error {}

export type ProveOptions = {
  signal: AbortSignal
  bwlimitKiBps?: number | undefined
  onProgress(text: string): void
  onTask?: ((upid: string) => void) | undefined
}

type ProveParts = {
  api: PveApi
  cluster: Pick<Cluster, 'tasks' | 'readAfresh'>
  redact(text: string): string
  /** Stores a change of the drill. @returns the changed drill */
  keep(drill: Drill, change: Partial<Drill>): Drill
}

/**
 * Restores the copy, checks it, starts it, and asks its agent.
 * @throws NotProven with the reason; any other error says nothing about the backup
 */
export async function prove(
  parts: ProveParts,
  { drill: claimed, plan }: { drill: Drill; plan: Plan },
  options: ProveOptions,
): Promise<Drill> {
  const { api, keep } = parts
  const { signal, onProgress, onTask } = options
  const { copy, type, vmid } = claimed
  let drill = claimed
  const keeps = (change: Partial<Drill>) => {
    drill = keep(drill, change)
  }
  const step = (event: StepEvent, change: Partial<Drill> = {}) =>
    keeps({ ...change, step: nextStep(drill.step, event) })
  onProgress(`Restoring ${drill.archive} to ${copy} on ${drill.storage}`)
  const begunAt = api.now()
  const restored = await runTask(
    api,
    {
      path: ['nodes', drill.node, type === 'vm' ? 'qemu' : 'lxc'],
      form: restoreForm(drill, plan.config, options.bwlimitKiBps),
      what: `the restore of ${vmid} to ${copy}`,
    },
    {
      signal,
      onProgress,
      onTask(upid) {
        keeps({ upid })
        onTask?.(upid)
      },
    },
  )
  if (restored.refused !== undefined) throw restored.refused
  if (!restored.ok) throw new NotProven(`The restore failed: ${restored.exitStatus}`)
  step('done', { level: 4, restoreMs: api.now() - begunAt })

  const found = await lookAt(parts, drill, signal)
  if (found.kind !== 'own')
    throw new NotProven(`It was not started: ${'why' in found ? found.why : 'no copy is there'}.`)
  const nets = netsOf(plan.config).map(([key]) => key)
  const leaks = leaksIn(type, found.config, { copy, mark: markOf(drill), nets })
  if (found.isRunning) leaks.push('it runs already')
  if (leaks.length > 0) throw new NotProven(`It was not started, because it is not alone: ${leaks.join('; ')}.`)
  step('done')

  onProgress(`Every interface of ${copy} is down; starting it`)
  const started = await runTask(
    api,
    { path: [...copyPath(drill), 'status', 'start'], what: `the start of ${copy}` },
    { signal, onProgress },
  )
  if (started.refused !== undefined) throw started.refused
  if (!started.ok) throw new NotProven(`It did not start: ${started.exitStatus}`)
  step('done')

  const answer = await askCopy(api, drill, { hasAgent: plan.hasAgent, signal, onProgress })
  const { isProven, problem, system, bootMs, level } = answer
  step('done', {
    level,
    notProven: [...answer.notProven, ...drill.notProven],
    verdict: isProven ? 'proven' : 'failed',
    ...(bootMs !== undefined && { bootMs }),
    ...(system !== undefined && { system: parts.redact(system) }),
    ...(problem !== undefined && { problem }),
  })
  return drill
}
