import { whoseIs } from 'homelab-ports/guest-identity'
import type { Cluster, PveApi } from 'homelab-ports/ports'
import { JarvisError, type ProofsReply, type RestoreProof } from 'protocol'
import type { Clock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import { Cleaning } from './clean-up.ts'
import { freeId } from './copy.ts'
import { type Drill, type DrillStore, openDrill, proofOf } from './drill.ts'
import { type DrillRequest, type Plan, planDrill } from './plan.ts'
import { NotProven, type ProveOptions, prove } from './prove.ts'
import { nextStep, type StepEvent } from './steps.ts'

export type DrillsParts = {
  store: DrillStore
  /** The API, with the drill's own token if there is one. */
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
  /** Called after each step. */
  changed(): void
  report(error: unknown, message: string): void
}

/** A drill's proof, and the guest to which it belongs: the guest that has the vmid now (`own`), or one that had it before (`earlier`). */
type Told = { whose: 'own' | 'earlier' | 'unknown'; proof: RestoreProof }

/** Runs restore drills, one at a time, and always removes their copies. */
export class Drills {
  readonly hasOwnToken: boolean
  readonly ids: { first: number; last: number }
  readonly #parts: DrillsParts
  readonly #cleaning: Cleaning
  readonly #stopping = new AbortController()
  /** The drill that is being proven now; undefined: none. */
  #working: Promise<unknown> | undefined

  constructor(parts: DrillsParts) {
    this.hasOwnToken = parts.hasOwnToken
    this.ids = parts.ids
    this.#parts = parts
    this.#cleaning = new Cleaning({
      ...parts,
      keep: (drill, change) => this.#keep(drill, change),
      stopping: this.#stopping.signal,
    })
  }

  /** Plans a drill. Changes nothing. @throws as `planDrill`, and `conflict` while another drill has not ended */
  async plan(request: DrillRequest, signal: AbortSignal): Promise<Plan> {
    const open = this.#parts.store.open()
    if (open !== undefined) throw busy(open)
    return planDrill(this.#parts, request, signal)
  }

  /**
   * Runs a drill and removes its copy. If the signal aborts, the copy is still removed, in the background.
   * @returns the ended drill; or the drill in the step `cleaning`, if its copy could not be removed yet @throws as `plan`
   */
  async run(request: DrillRequest, options: ProveOptions): Promise<Drill> {
    const plan = await this.plan(request, options.signal)
    const signal = AbortSignal.any([options.signal, this.#stopping.signal])
    const claimed = await this.#claim(plan, signal)
    const drill = await this.#proven(claimed, plan, {
      ...options,
      signal,
      bwlimitKiBps: request.bwlimitKiBps,
      isStopped: () => options.signal.aborted,
    })
    options.onProgress(`Removing the copy ${drill.copy}`)
    return this.#cleaning.remove(drill, false)
  }

  /** The newest verdict about a guest's backup; undefined if no backup was drilled, or another guest has the vmid now. */
  newestOf(vmid: number): RestoreProof | undefined {
    const [drill] = this.#parts.store.proofs(vmid)
    const found = drill && this.#told(drill)
    return found?.whose === 'earlier' ? undefined : found?.proof
  }

  /**
   * A guest's newest proof, for the gate; undefined if the guest has none, the backup failed its drill, or the backup may belong to an earlier guest
   * with this vmid.
   */
  provenOf(vmid: number): { level: number; at: number } | undefined {
    const proof = this.newestOf(vmid)
    return proof?.verdict === 'proven' && proof.doubt === undefined ? { level: proof.level, at: proof.at } : undefined
  }

  /** Each guest's newest verdict, newest first, and the drill that has not ended. */
  proofs(): ProofsReply {
    const open = this.#parts.store.open()
    return {
      items: this.#parts.store.proofs().map((drill) => this.#told(drill).proof),
      open: open === undefined ? null : openDrill(open),
    }
  }

  /** Removes the copy of a drill that the last process left. If the drill's verdict was known, it stays valid. */
  resume(): void {
    const { store, announce, report } = this.#parts
    const open = store.open()
    if (open === undefined) return
    const isKnown = open.verdict !== 'open'
    const problem = `JARVIS was restarted while the drill was ${open.step}.`
    const drill = this.#onward(open, 'restarted', isKnown ? {} : { verdict: 'stopped', problem })
    announce(`The drill of ${drill.vmid} was cut off by a restart. Its copy ${drill.copy} is being removed.`, 'warning')
    void this.#cleaning
      .remove(drill, true)
      .catch((error: unknown) => report(error, 'a drill’s copy could not be removed'))
  }

  /** Stops all work. The next start continues it. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('JARVIS is shutting down.'))
    await this.#cleaning.stop()
    await this.#working?.catch(() => {})
  }

  /** Stores the drill, which claims the copy's vmid, before anything is sent to Proxmox. @throws JarvisError `conflict` */
  async #claim({ guest, backup, node, storage, notProven }: Plan, signal: AbortSignal): Promise<Drill> {
    const { store, api, journal, durably, changed } = this.#parts
    const copy = await freeId(this.#parts, { ...this.ids, before: store.lastCopy() }, signal)
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
    changed()
    return drill
  }

  /**
   * Makes the proof. @param options `isStopped`: returns true if the person who waits for the drill has stopped it
   * @returns the drill with its verdict @throws if JARVIS is shutting down; the next start removes the copy
   */
  async #proven(claimed: Drill, plan: Plan, options: ProveOptions & { isStopped(): boolean }): Promise<Drill> {
    const { isStopped } = options
    const { report, redact } = this.#parts
    let drill = claimed
    const keep = (of: Drill, change: Partial<Drill>) => {
      drill = this.#keep(of, change)
      return drill
    }
    try {
      const whole = prove({ ...this.#parts, keep }, { drill: claimed, plan }, options)
      this.#working = whole
      return await whole
    } catch (error) {
      if (this.#stopping.signal.aborted) throw error
      const isKnown = error instanceof NotProven || error instanceof JarvisError
      if (error instanceof Error && !isKnown && !isStopped()) report(error, `the drill of ${drill.vmid} failed`)
      const why = isStopped() ? 'It was stopped.' : error instanceof Error ? error.message : String(error)
      const verdict = error instanceof NotProven ? 'failed' : 'stopped'
      return this.#onward(drill, 'broken', { verdict, problem: redact(why) })
    } finally {
      this.#working = undefined
    }
  }

  #onward(drill: Drill, event: StepEvent, change: Partial<Drill> = {}): Drill {
    return this.#keep(drill, { ...change, step: nextStep(drill.step, event) })
  }

  #keep(drill: Drill, change: Partial<Drill>): Drill {
    const { store, durably, changed } = this.#parts
    const kept = { ...drill, ...change }
    durably(() => store.save(kept))
    changed()
    return kept
  }

  #told(drill: Drill): Told {
    const guest = this.#parts.cluster.state().guests.find(({ vmid }) => vmid === drill.vmid)
    const whose =
      guest === undefined
        ? 'own'
        : guest.type !== drill.type
          ? 'earlier'
          : whoseIs(guest.identity, { identity: drill.identity, at: drill.archiveAt })
    const doubt = whose === 'own' ? {} : { doubt: doubtWords[whose] }
    return { whose, proof: { ...proofOf(drill), ...doubt } }
  }
}

const doubtWords = {
  earlier: 'It is of an earlier guest with this number.',
  unknown: 'It may be of an earlier guest with this number.',
}

function busy(open: Drill | undefined): JarvisError {
  const of = open === undefined ? '' : ` of ${open.vmid} on ${open.node}`
  const left = open?.left === undefined ? '' : ` ${open.left}`
  return new JarvisError('conflict', `Another drill${of} has not ended, and only one runs at a time.${left}`)
}
