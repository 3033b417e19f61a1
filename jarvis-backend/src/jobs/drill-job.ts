import type { JobWork } from 'protocol'
import { isWithin } from './hours.ts'
import type { Begun, Shipped, StoredJob, StoredSlot, Worker } from './job.ts'

export const drillId = 'job_drill'

/** The job that comes with JARVIS and runs one restore drill each night. */
export const drillJob = (zone: string): Shipped => ({
  id: drillId,
  name: 'Nightly restore drill',
  work: { kind: 'drill', window: '01:00-05:00', bwlimitKiBps: 102_400 },
  schedule: { kind: 'cron', line: '30 1 * * *', zone },
  budget: {},
})

/**
 * A guest whose backup could be drilled. `provenAt`: the time of the last verdict about its backup, Unix ms; undefined: its backup was never
 * drilled.
 */
export type Candidate = { vmid: number; provenAt: number | undefined }

/** Lists the guests whose backups can be drilled. */
export interface DrillCandidates {
  candidates(): Candidate[]
  /** The vmids of guests that have a known backup. @throws if the cluster cannot be read */
  backedUp(): Promise<ReadonlySet<number>>
  /** The reason why the drill of a guest cannot begin; undefined if it can. Changes nothing. */
  refusal(input: DrillInput): Promise<string | undefined>
}

export type DrillJobParts = {
  guests: DrillCandidates
  settings: { get(key: string): string | undefined; set(key: string, value: string): void }
  zone: string
  now(): number
}
export type DrillInput = { vmid: number; bwlimitKiBps?: number }

/** The most guests that are tried in one night. If all are refused, no drill runs. */
const mostAsked = 5
const triedKey = 'drill_tried'

/** The arguments of a drill's call. A grant names exactly these arguments. */
export const drillInput = (vmid: number, work: JobWork): DrillInput => ({
  vmid,
  ...(work.kind === 'drill' && work.bwlimitKiBps !== undefined && { bwlimitKiBps: work.bwlimitKiBps }),
})

/** Drills the backup of the guest whose proof is oldest. The call is judged by the gate like any other. */
export class DrillWorker implements Worker {
  readonly #parts: DrillJobParts

  constructor(parts: DrillJobParts) {
    this.#parts = parts
  }

  isReading(): boolean {
    return false
  }

  async begin({ work }: StoredJob, slot: StoredSlot): Promise<Begun> {
    const { guests, zone, now } = this.#parts
    const window = work.kind === 'drill' ? work.window : undefined
    if (!slot.isByHand && !isWithin(window, now(), zone))
      return { state: 'skipped', summary: `It is outside of the window ${window}.` }
    const backedUp = await guests.backedUp()
    const asked = this.#inOrder()
      .filter((vmid) => backedUp.has(vmid))
      .slice(0, mostAsked)
    const refused: string[] = []
    for (const vmid of asked) {
      const input = drillInput(vmid, work)
      const why = await guests.refusal(input)
      this.#noteTried(vmid)
      if (why === undefined) return { work: { kind: 'call', toolName: 'drill_restore', toolInput: input } }
      refused.push(`${vmid}: ${why}`)
    }
    const summary =
      refused.length === 0 ? 'There is no guest with a known backup.' : `No drill can begin. ${refused.join(' ')}`
    return { state: 'failed', summary }
  }

  /**
   * The guests in the order in which they are tried: never proven first, then the oldest proof. A try counts like a proof, so a refused guest does
   * not block the others.
   */
  #inOrder(): number[] {
    const tried = this.#tried()
    const at = ({ vmid, provenAt = 0 }: Candidate) => Math.max(provenAt, tried[vmid] ?? 0)
    return this.#parts.guests
      .candidates()
      .sort((a, b) => at(a) - at(b) || a.vmid - b.vmid)
      .map(({ vmid }) => vmid)
  }

  #noteTried(vmid: number): void {
    const { guests, settings, now } = this.#parts
    const there = new Set(guests.candidates().map((candidate) => candidate.vmid))
    const kept = Object.entries(this.#tried()).filter(([id]) => there.has(Number(id)))
    settings.set(triedKey, JSON.stringify({ ...Object.fromEntries(kept), [vmid]: now() }))
  }

  #tried(): Record<string, number> {
    return JSON.parse(this.#parts.settings.get(triedKey) ?? '{}') as Record<string, number>
  }
}
