import type { Cluster } from 'homelab-ports/ports'
import { JarvisError } from 'protocol'
import { z } from 'zod'
import { noTarget } from '../../gate/effect.ts'
import type { Clock } from '../../lib/clock.ts'
import { type ToolContext, toolOver } from '../tool.ts'
import { seenOf, states, type WantedState } from './seen.ts'

const longestMin = 10
/** Time between two looks for the end of a task, ms. The poller reports all other states. */
const taskEveryMs = 5_000
/** Time between two messages that tell the person how long the wait still takes, ms. */
const tellEveryMs = 30_000
const minuteMs = 60_000

export type WaitPorts = {
  cluster: Pick<Cluster, 'state' | 'watch' | 'tasks'>
  clock: Clock
  /** Unix ms when the call began, which may be before a restart; undefined: now. */
  begunAt(call: Pick<ToolContext, 'runId' | 'toolUseId'>): number | undefined
}

/** Green, because it reads only what the poller reads anyway. It calls no model while it waits. After a restart it waits for the rest of its time. */
export const waitFor = toolOver<WaitPorts>()({
  name: 'wait_for',
  title: 'Wait for a state',
  description: 'Waits until a guest, node, task (UPID) or storage is in a state. Use it instead of looking again.',
  tier: 'green',
  timeoutMs: longestMin * minuteMs + 30_000,
  outlives: true,
  isComposed: true,
  touches: [{ kind: 'read', on: 'site' }],
  effects: () => [{ kind: 'read', on: 'site', target: noTarget }],
  input: z.strictObject({
    target: z.string().min(1).max(200),
    state: z.enum(states),
    minutes: z.number().min(0.1).max(longestMin).optional(),
  }),
  example: { target: 'vm/101', state: 'running' },
  output: z.object({ target: z.string(), state: z.string(), isReached: z.boolean(), waitedS: z.number() }),
  async run({ target, state, minutes = longestMin }, context, ports) {
    const { clock } = ports
    const begun = Math.min(ports.begunAt(context) ?? clock.now(), clock.now())
    const until = begun + minutes * minuteMs
    for (;;) {
      const seen = await seenOf(ports.cluster, { target, wanted: state }, context.signal)
      if (seen.missing !== undefined) throw new JarvisError('not_found', seen.missing)
      const now = clock.now()
      const waitedS = Math.max(0, Math.round((now - begun) / 1000))
      const data = { target, state: seen.state, isReached: seen.isReached, waitedS }
      if (seen.isReached) {
        const summary = `${seen.name} is ${seen.state} after ${waitedS} s`
        return { text: `${summary}.`, summary, data }
      }
      if (seen.isOver || now >= until) {
        const words = wordsOf(seen.name, seen.state)
        const text = seen.isOver
          ? `${words}. It does not become ${state}.`
          : `${words} after ${waitedS} s, not ${state}. Waiting ended.`
        return { text, summary: `${words}, not ${state}`, data }
      }
      const leftMs = until - now
      context.onProgress(
        `${wordsOf(seen.name, seen.state)}; waits for ${state}, ${Math.ceil(leftMs / minuteMs)} min left`,
      )
      await next(
        ports,
        { ms: Math.min(leftMs, seen.isTask ? taskEveryMs : tellEveryMs), isTask: seen.isTask },
        context.signal,
      )
    }
  },
})

const wordsOf = (name: string, state: WantedState | string): string =>
  state === 'unknown' ? `UNKNOWN: the state of ${name} cannot be read` : `${name} is ${state}`

/** Resolves once the poller has seen a change, or `ms` have passed. Rejects with the signal's reason. */
function next(
  { cluster, clock }: WaitPorts,
  { ms, isTask }: { ms: number; isTask: boolean },
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const ends: (() => void)[] = []
    const end = (act: () => void) => () => {
      for (const one of ends.splice(0)) one()
      act()
    }
    if (signal.aborted) return reject(signal.reason)
    const onAbort = end(() => reject(signal.reason))
    const go = end(resolve)
    signal.addEventListener('abort', onAbort, { once: true })
    ends.push(() => signal.removeEventListener('abort', onAbort), clock.after(ms, go))
    if (!isTask) ends.push(cluster.watch(go, 'live'))
  })
}
