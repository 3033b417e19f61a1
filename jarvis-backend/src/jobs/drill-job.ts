import type { JobWork } from 'protocol'
import { isWithin } from './hours.ts'
import type { StoredJob, Worker } from './job.ts'
import type { Shipped } from './jobs.ts'

export const drillId = 'job_drill'

/** The job that comes with JARVIS: one drill a night. */
export const drillJob = (zone: string): Shipped => ({
  id: drillId,
  name: 'Nightly restore drill',
  work: { kind: 'drill', window: '01:00-05:00', bwlimitKiBps: 102_400 },
  schedule: { kind: 'cron', line: '30 1 * * *', zone },
  budget: {},
})

/** A guest that could be drilled. `provenAt`: when its backup was last proven or failed to be, Unix ms; undefined: never. */
export type Candidate = { vmid: number; provenAt: number | undefined }

export type DrillJobParts = {
  candidates(): readonly Candidate[]
  /** The numbers that a backup is known of. @throws where the cluster cannot be read */
  backedUp(): Promise<ReadonlySet<number>>
  /** Why the drill of a guest cannot begin; undefined where it can. Changes nothing. */
  refusal(input: DrillInput): Promise<string | undefined>
  settings: { get(key: string): string | undefined; set(key: string, value: string): void }
  zone: string
  now(): number
}
export type DrillInput = { vmid: number; bwlimitKiBps?: number }

/** Guests that are asked about in one night before it is given up. */
const mostAsked = 5
const triedKey = 'drill_tried'

/** The arguments of a drill, which an approval given beforehand names exactly. */
export const drillInput = (vmid: number, work: JobWork): DrillInput => ({
  vmid,
  ...(work.kind === 'drill' && work.bwlimitKiBps !== undefined && { bwlimitKiBps: work.bwlimitKiBps }),
})

/** Drills the guest whose proof is oldest, by a call that is judged as any other. */
export function createDrillWorker(parts: DrillJobParts): Worker {
  const { settings, zone, now } = parts
  const tried = () => JSON.parse(settings.get(triedKey) ?? '{}') as Record<string, number>

  /** Never proven first, then the oldest proof. A guest that was tried counts from then on, so that one that is refused blocks nobody. */
  function inOrder(): number[] {
    const last = tried()
    const at = ({ vmid, provenAt = 0 }: Candidate) => Math.max(provenAt, last[vmid] ?? 0)
    return [...parts.candidates()].sort((a, b) => at(a) - at(b) || a.vmid - b.vmid).map(({ vmid }) => vmid)
  }

  return {
    isReading: () => false,
    async begin({ work }: StoredJob, slot) {
      const window = work.kind === 'drill' ? work.window : undefined
      if (!slot.isByHand && !isWithin(window, now(), zone))
        return { state: 'skipped', summary: `It is outside of the window ${window}.` }
      const refused: string[] = []
      const backedUp = await parts.backedUp()
      for (const vmid of inOrder()
        .filter((guest) => backedUp.has(guest))
        .slice(0, mostAsked)) {
        const input = drillInput(vmid, work)
        const why = await parts.refusal(input)
        const there = new Set(parts.candidates().map((candidate) => candidate.vmid))
        const kept = Object.entries(tried()).filter(([id]) => there.has(Number(id)))
        settings.set(triedKey, JSON.stringify({ ...Object.fromEntries(kept), [vmid]: now() }))
        if (why === undefined) return { work: { kind: 'call', toolName: 'drill_restore', toolInput: input } }
        refused.push(`${vmid}: ${why}`)
      }
      const summary =
        refused.length === 0 ? 'There is no guest with a known backup.' : `No drill can begin. ${refused.join(' ')}`
      return { state: 'failed', summary }
    },
  }
}
