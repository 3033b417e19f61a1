import { whoseIs } from 'homelab-ports/guest-identity'
import { JarvisError, type ProofsReply, type RestoreProof } from 'protocol'
import type { Cluster, PveApi } from '../homelab/ports.ts'
import type { Clock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import { createCleaning } from './clean-up.ts'
import { freeId } from './copy.ts'
import { type Drill, type DrillStore, openDrill, proofOf } from './drill.ts'
import { type DrillRequest, type Plan, planDrill } from './plan.ts'
import { NotProven, type ProveOptions, prove } from './prove.ts'
import { nextStep, type StepEvent } from './steps.ts'

export type DrillsParts = {
  store: DrillStore
  /** The API with the drill's own token, if there is one. */
  api: PveApi
  cluster: Pick<Cluster, 'state' | 'backups' | 'tasks' | 'readAfresh' | 'marks'>
  /** True if the drill has its own token, which Proxmox limits to the drill's pool. */
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
  const { store, api, cluster, journal, durably } = parts
  const stopping = new AbortController()
  /** The proof that is being made. */
  let working: Promise<unknown> | undefined

  function keep(drill: Drill, change: Partial<Drill>): Drill {
    const kept = { ...drill, ...change }
    durably(() => store.save(kept))
    parts.changed()
    return kept
  }
  const cleaning = createCleaning({ ...parts, keep, stopping: stopping.signal })
  const onward = (drill: Drill, event: StepEvent, change: Partial<Drill> = {}) =>
    keep(drill, { ...change, step: nextStep(drill.step, event) })

  /** Writes the claim on the copy, before anything is sent. @throws JarvisError `conflict` */
  async function claim({ guest, backup, node, storage, notProven }: Plan, signal: AbortSignal): Promise<Drill> {
    const copy = await freeId(parts, { ...parts.ids, before: store.lastCopy() }, signal)
    const { vmid, type, name, identity } = guest
    const drill: Drill = {
      id: newId('drl'),
      vmid,
      type,
      name,
      copy,
      node,
      storage,
      level: 3,
      at: api.now(),
      ...(identity !== undefined && { identity: { id: identity.id } }),
      archive: backup.volumeId,
      archiveAt: backup.createdAt,
      notProven,
      step: 'restoring',
      verdict: 'open',
    }
    const body = { drill: drill.id, target: `${type}/${vmid}`, copy, node, storage, archive: drill.archive }
    durably(() => {
      if (!store.begin(drill)) throw busy(store.open())
      journal.append('drill', { change: 'claimed', ...body })
    })
    parts.changed()
    return drill
  }

  const newestOf = (vmid: number): RestoreProof | undefined => {
    const [drill] = store.proofs(vmid)
    const found = drill && told(drill)
    return found?.whose === 'earlier' ? undefined : found?.proof
  }

  /** Makes the proof of a drill, and finds whose it is: another guest may have taken the number since. */
  function told(drill: Drill): { whose: 'own' | 'earlier' | 'unknown'; proof: RestoreProof } {
    const guest = cluster.state().guests.find(({ vmid }) => vmid === drill.vmid)
    const whose =
      guest === undefined
        ? 'own'
        : guest.type !== drill.type
          ? 'earlier'
          : whoseIs(guest.identity, { identity: drill.identity, at: drill.archiveAt })
    const doubt = whose === 'own' ? {} : { doubt: doubtWords[whose] }
    return { whose, proof: { ...proofOf(drill), ...doubt } }
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
    async run(request: DrillRequest, options: ProveOptions): Promise<Drill> {
      const { signal } = options
      const plan = await this.plan(request, signal)
      const either = AbortSignal.any([signal, stopping.signal])
      let drill = await claim(plan, either)
      try {
        const keeps = (of: Drill, change: Partial<Drill>) => {
          drill = keep(of, change)
          return drill
        }
        const { bwlimitKiBps } = request
        const whole = prove({ ...parts, keep: keeps }, drill, plan, { ...options, signal: either, bwlimitKiBps })
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
      return cleaning.remove(drill, false)
    },
    /** The newest verdict about a guest's backup; undefined where none was drilled, or another guest has its number now. */
    newestOf,
    /** The same for the gate, where the backup came to life. */
    provenOf(vmid: number): { level: number; at: number } | undefined {
      const proof = newestOf(vmid)
      return proof?.verdict === 'proven' && proof.doubt === undefined ? { level: proof.level, at: proof.at } : undefined
    },
    /** For the routes and the tool. */
    proofs(): ProofsReply {
      const open = store.open()
      return {
        items: store.proofs().map((drill) => told(drill).proof),
        open: open === undefined ? null : openDrill(open),
      }
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
      void cleaning
        .remove(drill, true)
        .catch((error: unknown) => parts.report(error, 'a drill’s copy could not be removed'))
    },
    /** Ends all work; the next start takes it up. */
    async stop() {
      stopping.abort(new Error('JARVIS is shutting down.'))
      await cleaning.stop()
      await working?.catch(() => {})
    },
  }
}

const doubtWords = {
  earlier: 'It is of an earlier guest with this number.',
  unknown: 'It may be of an earlier guest with this number.',
}

export type Drills = ReturnType<typeof createDrills>

function busy(open: Drill | undefined): JarvisError {
  const of = open === undefined ? '' : ` of ${open.vmid} on ${open.node}`
  const left = open?.left === undefined ? '' : ` ${open.left}`
  return new JarvisError('conflict', `Another drill${of} has not ended, and only one runs at a time.${left}`)
}
