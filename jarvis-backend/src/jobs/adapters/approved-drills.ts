import { JarvisError, type Principal } from 'protocol'
import type { Grants, Standing } from '../../calls/confirmations/grants.ts'
import { callKey } from '../../calls/keys.ts'
import type { Gate } from '../../calls/room.ts'
import type { Drills } from '../../drill/drills.ts'
import type { ComposedHomelab } from '../../homelab/room.ts'
import { type Candidate, type DrillCandidates, drillInput } from '../drill-job.ts'
import { type DrillApprovals, personOfJob, type StoredJob } from '../job.ts'

const dayMs = 24 * 60 * 60_000
/** The time for which a person grants a job's drills, ms. */
export const approvedForMs = 90 * dayMs
/** The most guests that one approval covers. */
const mostGuests = 500

export type ApprovedDrillsParts = {
  homelab: Pick<ComposedHomelab, 'cluster'>
  drills: Pick<Drills, 'newestOf' | 'plan' | 'ids'>
  gate: Pick<Gate, 'judge'> & { grants: Pick<Grants, 'list' | 'makeStanding' | 'revoke'> }
  now(): number
  /** Called after each change of an approval. */
  changed(): void
}

/**
 * The guests of a drill job, and the grants that a person gives to the job. Each grant covers exactly the drill of one guest that exists now, for
 * this job alone. Grants are limited in number and time, journalled, and revocable like any grant.
 */
export class ApprovedDrills implements DrillCandidates, DrillApprovals {
  readonly #parts: ApprovedDrillsParts

  constructor(parts: ApprovedDrillsParts) {
    this.#parts = parts
  }

  candidates(): Candidate[] {
    const { homelab, drills } = this.#parts
    const { first, last } = drills.ids
    return homelab.cluster
      .state()
      .guests.filter(({ vmid, isTemplate }) => isTemplate !== true && (vmid < first || vmid > last))
      .map(({ vmid }) => ({ vmid, provenAt: drills.newestOf(vmid)?.at }))
  }

  async backedUp(): Promise<ReadonlySet<number>> {
    const { items } = await this.#parts.homelab.cluster.backups({}, { signal: AbortSignal.timeout(60_000) })
    return new Set(items.flatMap(({ vmid, whose }) => (whose === 'earlier' || whose === 'other' ? [] : vmid)))
  }

  /**
   * Plans the drill in the same way as the tool does before it asks for a confirmation. Returns the reason why the drill is refused; undefined if it
   * is not.
   */
  async refusal(input: { vmid: number }): Promise<string | undefined> {
    try {
      await this.#parts.drills.plan(input, AbortSignal.timeout(60_000))
      return undefined
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }

  approvedUntil({ id }: StoredJob): number | undefined {
    const ends = this.#ofJob(id).map(({ expiresAt }) => expiresAt)
    return ends.length === 0 ? undefined : Math.max(...ends)
  }

  approve(job: StoredJob, by: string): void {
    const { gate, now, changed } = this.#parts
    const wanted = this.#wanted(job)
    if (wanted.length === 0)
      throw new JarvisError('invalid_request', 'There is no guest whose drill one person could approve beforehand.')
    this.#revoke(job.id, by)
    gate.grants.makeStanding(wanted, { by, expiresAt: now() + approvedForMs })
    changed()
  }

  withdraw({ id }: StoredJob, by: string): void {
    this.#revoke(id, by)
    this.#parts.changed()
  }

  /** The grants to make: one for each guest whose drill a single person may approve. @throws JarvisError `invalid_request` */
  #wanted(job: StoredJob): Standing[] {
    const { work } = job
    if (work.kind !== 'drill')
      throw new JarvisError(
        'invalid_request',
        'Only restore drills can be approved beforehand. Every other red call asks.',
      )
    const requestedBy: Principal = { kind: 'job', name: job.name, job: job.id, ...personOfJob(job) }
    const guests = this.candidates()
      .sort((a, b) => (a.provenAt ?? 0) - (b.provenAt ?? 0))
      .slice(0, mostGuests)
    // The grants assume at most one drill a night, whatever the schedule is.
    const uses = Math.ceil(approvedForMs / dayMs / Math.max(1, guests.length)) + 1
    return guests.flatMap(({ vmid }): Standing[] => {
      const judged = this.#parts.gate.judge('drill_restore', drillInput(vmid, work), { asker: requestedBy })
      // If several people must approve the drill, no grant is made, and they decide each time.
      if (judged.kind !== 'ready' || judged.verdict.tier !== 'red' || judged.verdict.approve !== undefined) return []
      const { target, verdict, input } = judged
      const call = { toolName: 'drill_restore', toolInput: input, target, rule: verdict.rule, requestedBy }
      return [{ ...call, callKey: callKey({ toolName: 'drill_restore', input, target }), uses, for: job.id }]
    })
  }

  #revoke(id: string, by: string): void {
    for (const grant of this.#ofJob(id)) this.#parts.gate.grants.revoke(grant.id, by)
  }

  #ofJob(id: string) {
    return this.#parts.gate.grants.list().filter(({ requestedBy }) => requestedBy.job === id)
  }
}
