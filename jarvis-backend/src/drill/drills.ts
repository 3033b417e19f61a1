import { runTask } from '../homelab/operations/run-task.ts'
import type { Cluster, PveApi } from '../homelab/ports.ts'
import type { Clock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import { JarvisError, type ProofsReply, type RestoreProof } from '../protocol/index.ts'
import { askCopy } from './ask-copy.ts'
import { copyPath, freeId, lookAt, removeCopy, restoreEnded, restoreForm } from './copy.ts'
import { type Drill, type DrillStore, levelWords, markOf, openDrill, proofOf } from './drill.ts'
import { leaksIn, netsOf } from './guest-config.ts'
import { type DrillRequest, type Plan, planDrill } from './plan.ts'
import { nextStep, type StepEvent } from './steps.ts'

/** How often the removal of a copy is tried while somebody waits for it: a task that still works on it holds it off. */
const triesAtOnce = 4
const nextTryMs = 10_000
/** How often after that, while the cluster does not answer or refuses. */
const againEveryMs = 60_000

/** The drill says something about the backup: it did not come to life. */
class NotProven extends Error {}

export type DrillsParts = {
  store: DrillStore
  /** Of the drill's own token, where there is one. */
  api: PveApi
  cluster: Pick<Cluster, 'state' | 'backups' | 'tasks' | 'readAfresh'>
  /** Whether Proxmox itself limits the drill to its pool. */
  hasOwnToken: boolean
  ids: { first: number; last: number }
  clock: Clock
  journal: { append(kind: 'drill', body: Record<string, unknown>): void }
  durably<T>(work: () => T): T
  redact(text: string): string
  announce(text: string, level: 'info' | 'warning'): void
  /** Told after each step. */
  changed(): void
  report(error: unknown, message: string): void
}

/** Runs restore drills, one at a time, and removes their copies, whatever happens. */
export function createDrills(parts: DrillsParts) {
  const { store, api, cluster, clock, journal, durably } = parts
  const stopping = new AbortController()
  /** The drill that this process works on. */
  let working: Promise<unknown> | undefined
  let disarm = () => {}

  function keep(drill: Drill, change: Partial<Drill>): Drill {
    const kept = { ...drill, ...change }
    durably(() => store.save(kept))
    parts.changed()
    return kept
  }
  const onward = (drill: Drill, event: StepEvent, change: Partial<Drill> = {}) =>
    keep(drill, { ...change, step: nextStep(drill.step, event) })

  /** Writes the claim on the copy, before anything is sent. @throws JarvisError `conflict` */
  async function claim({ guest, backup, node, storage, notProven }: Plan, signal: AbortSignal): Promise<Drill> {
    const copy = await freeId(parts, { ...parts.ids, before: store.lastCopy() }, signal)
    const { vmid, type, name } = guest
    const drill: Drill = {
      ...{ id: newId('drl'), vmid, type, name, copy, node, storage, level: 3, at: api.now() },
      ...{ archive: backup.volumeId, archiveAt: backup.createdAt, notProven, step: 'restoring', verdict: 'open' },
    }
    const body = { drill: drill.id, target: `${type}/${vmid}`, copy, node, storage, archive: drill.archive }
    durably(() => {
      if (!store.begin(drill)) throw busy(store.open())
      journal.append('drill', { change: 'claimed', ...body })
    })
    parts.changed()
    return drill
  }

  /** Restores, checks, starts and asks. @throws NotProven with the reason; anything else says nothing of the backup */
  async function work(claimed: Drill, plan: Plan, options: WorkOptions, note: (drill: Drill) => void): Promise<Drill> {
    const { signal, onProgress, onTask } = options
    const { copy, type, vmid } = claimed
    let drill = claimed
    const moved = (next: Drill) => {
      drill = next
      note(next)
    }
    const step = (event: StepEvent, change?: Partial<Drill>) => moved(onward(drill, event, change))
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
          moved(keep(drill, { upid }))
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
      ...{ level, notProven: [...answer.notProven, ...drill.notProven], verdict: isProven ? 'proven' : 'failed' },
      ...(bootMs !== undefined && { bootMs }),
      ...(system !== undefined && { system: parts.redact(system) }),
      ...(problem !== undefined && { problem }),
    })
    return drill
  }

  /** Removes the copy. @returns the ended drill @throws where it could not be done now; the drill stays `cleaning` */
  async function cleanUp(drill: Drill, isRestart: boolean): Promise<Drill> {
    const { signal } = stopping
    await restoreEnded(parts, drill, { isWanted: false, signal })
    const left = await removeCopy(parts, drill, signal)
    const ended: Drill = {
      ...drill,
      ...{ step: nextStep('cleaning', 'done'), endedAt: api.now(), left },
      verdict: drill.verdict === 'open' ? 'stopped' : drill.verdict,
    } as Drill
    if (left === undefined) delete ended.left
    durably(() => {
      store.save(ended)
      const { id, vmid, type, copy, level, verdict, problem, archive } = ended
      journal.append('drill', {
        ...{
          change: isRestart ? 'cleaned_up' : 'ended',
          drill: id,
          target: `${type}/${vmid}`,
          copy,
          level,
          verdict,
          archive,
        },
        copyIs: left === undefined ? 'removed' : 'not_removed',
        ...(problem !== undefined && { problem }),
        ...(left !== undefined && { left }),
      })
    })
    parts.announce(sentenceOf(ended), left === undefined && ended.verdict === 'proven' ? 'info' : 'warning')
    parts.changed()
    return ended
  }

  async function cleanUpInTries(drill: Drill, isRestart: boolean): Promise<Drill> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await cleanUp(drill, isRestart)
      } catch (error) {
        if (tries === triesAtOnce || stopping.signal.aborted) throw error
        await api.wait(nextTryMs, stopping.signal)
      }
    }
  }

  /** Tries until the copy is gone or is not the drill's. Nothing else may begin meanwhile. */
  function cleanLater(drill: Drill, isRestart: boolean) {
    disarm = clock.after(againEveryMs, () => void tryCleaning(drill, isRestart))
  }
  async function tryCleaning(drill: Drill, isRestart: boolean): Promise<Drill> {
    try {
      const cleaning = cleanUpInTries(drill, isRestart)
      working = cleaning
      return await cleaning
    } catch (error) {
      if (stopping.signal.aborted) return drill
      const why = parts.redact(error instanceof Error ? error.message : String(error))
      const left = `The copy ${drill.copy} may still be there: ${withStop(why)} JARVIS tries again every minute.`
      if (drill.left !== left) parts.announce(`The drill of ${drill.vmid}: ${left}`, 'warning')
      const waiting = keep(drill, { left })
      cleanLater(waiting, isRestart)
      return waiting
    } finally {
      working = undefined
    }
  }

  const newestOf = (vmid: number): RestoreProof | undefined => {
    const [drill] = store.proofs(vmid)
    if (drill === undefined) return undefined
    // Another guest may have taken the number since.
    const guest = cluster.state().guests.find((candidate) => candidate.vmid === vmid)
    if (guest !== undefined && (guest.type !== drill.type || (guest.madeAt ?? 0) > drill.archiveAt)) return undefined
    return proofOf(drill)
  }

  return {
    hasOwnToken: parts.hasOwnToken,
    ids: parts.ids,
    /** Changes nothing. @throws as `planDrill`, and `conflict` while another drill has not ended */
    async plan(request: DrillRequest, signal: AbortSignal): Promise<Plan> {
      const open = store.open()
      if (open !== undefined) throw busy(open)
      return planDrill(parts, request, signal)
    },
    /**
     * Drills and removes the copy. When the signal aborts, the copy is removed all the same, in the background.
     * @returns the drill, ended; or `cleaning`, where its copy could not be removed yet @throws as `plan`
     */
    async run(request: DrillRequest, options: WorkOptions): Promise<Drill> {
      const { signal } = options
      const plan = await this.plan(request, signal)
      const either = AbortSignal.any([signal, stopping.signal])
      let drill = await claim(plan, either)
      try {
        const note = (now: Drill) => {
          drill = now
        }
        const whole = work(drill, plan, { ...options, signal: either, bwlimitKiBps: request.bwlimitKiBps }, note)
        working = whole
        drill = await whole
      } catch (error) {
        // The next start removes the copy.
        if (stopping.signal.aborted) throw error
        const why = signal.aborted ? 'It was stopped.' : error instanceof Error ? error.message : String(error)
        const verdict = error instanceof NotProven ? 'failed' : 'stopped'
        if (
          error instanceof Error &&
          !(error instanceof NotProven) &&
          !(error instanceof JarvisError) &&
          !signal.aborted
        )
          parts.report(error, `the drill of ${drill.vmid} failed`)
        drill = onward(drill, 'broken', { verdict, problem: parts.redact(why) })
      } finally {
        working = undefined
      }
      options.onProgress(`Removing the copy ${drill.copy}`)
      return tryCleaning(drill, false)
    },
    /** The newest verdict about a guest's backup; undefined where none was drilled, or another guest has its number now. */
    newestOf,
    /** The same for the gate, where the backup came to life. */
    provenOf(vmid: number): { level: number; at: number } | undefined {
      const proof = newestOf(vmid)
      return proof?.verdict === 'proven' ? { level: proof.level, at: proof.at } : undefined
    },
    /** For the routes and the tool. */
    proofs(): ProofsReply {
      const open = store.open()
      return { items: store.proofs().map(proofOf), open: open === undefined ? null : openDrill(open) }
    },
    /** Removes the copy of a drill that the last process left. Its verdict counts where it was known. */
    resume() {
      const open = store.open()
      if (open === undefined) return
      const isKnown = open.verdict !== 'open'
      const problem = `JARVIS was restarted while the drill was ${open.step}.`
      const drill = onward(open, 'restarted', isKnown ? {} : { verdict: 'stopped', problem })
      parts.announce(
        `The drill of ${drill.vmid} was cut off by a restart. Its copy ${drill.copy} is being removed.`,
        'warning',
      )
      void tryCleaning(drill, true).catch((error: unknown) =>
        parts.report(error, 'a drill’s copy could not be removed'),
      )
    },
    /** Ends all work; the next start takes it up. */
    async stop() {
      stopping.abort(new Error('JARVIS is shutting down.'))
      disarm()
      await working?.catch(() => {})
    },
  }
}

export type Drills = ReturnType<typeof createDrills>

type WorkOptions = {
  signal: AbortSignal
  bwlimitKiBps?: number | undefined
  onProgress(text: string): void
  onTask?: ((upid: string) => void) | undefined
}

function busy(open: Drill | undefined): JarvisError {
  const of = open === undefined ? '' : ` of ${open.vmid} on ${open.node}`
  const left = open?.left === undefined ? '' : ` ${open.left}`
  return new JarvisError('conflict', `Another drill${of} has not ended, and only one runs at a time.${left}`)
}

/** Proxmox's words end without a full stop. */
const withStop = (text: string) => text.replace(/[^.!?]$/, '$&.')

/** One sentence about how a drill ended. */
export function sentenceOf({ vmid, level, verdict, problem, left, copy, step, system }: Drill): string {
  const what = {
    proven: `The newest backup of ${vmid} is proven to level ${level}: ${levelWords[level]}${system === undefined ? '' : ` (${system})`}.`,
    failed: `The newest backup of ${vmid} did not come to life.`,
    stopped: `The drill of ${vmid} was broken off, and says nothing of the backup.`,
    open: `The drill of ${vmid} goes on.`,
  }[verdict]
  const gone = left ?? (step === 'ended' ? `Its copy ${copy} is gone.` : `Its copy ${copy} is being removed.`)
  return [what, problem && withStop(problem), gone].filter((part) => part !== undefined).join(' ')
}
