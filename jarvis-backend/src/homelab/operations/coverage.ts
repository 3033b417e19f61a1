import type { PveReader } from 'homelab-ports/ports'
import { z } from 'zod'
import { figure, flag, rowsOf, said, words } from '../pve/answers.ts'
import { hiddenLine, readRights } from '../pve/rights.ts'
import { whyUnread } from './read-each.ts'

const JobRow = z.object({
  id: words,
  enabled: said,
  all: flag,
  vmid: words,
  exclude: words,
  pool: words,
  node: words,
})
type JobRow = z.output<typeof JobRow>
const BareRow = z.object({ vmid: z.coerce.number().pipe(z.int()), name: words, type: words })
const GuestRow = z.object({
  vmid: z.coerce.number().pipe(z.int()),
  name: words,
  node: words,
  pool: words,
  template: figure,
})

/** A guest that no enabled backup job covers. `disabledJobs`: jobs that would cover the guest if they were enabled; empty: no job covers it. */
export type Uncovered = { vmid: number; name?: string; isTemplate: boolean; disabledJobs: string[] }

export type Coverage = {
  /** The guests, ordered by vmid. */
  uncovered: Uncovered[]
  jobs: { enabled: number; disabled: number } | null
  missing: string[]
}

/**
 * Reads the guests that no enabled backup job covers. Proxmox's own list counts a disabled job as cover, so the jobs are read too. If the jobs
 * cannot be read, `jobs` is null and `missing` says what is unknown.
 * @throws ApiError if Proxmox's list cannot be read; the signal's reason
 */
export async function readCoverage(api: PveReader, signal: AbortSignal): Promise<Coverage> {
  const missing: string[] = []
  const optional = async (
    path: readonly string[],
    query: Record<string, string>,
    { what, needs }: { what: string; needs: string },
  ) => {
    try {
      return await api.get(path, query, { signal })
    } catch (error) {
      if (signal.aborted) throw signal.reason
      missing.push(`${what} ${whyUnread(error, needs)}`)
      return undefined
    }
  }
  const [bare, jobData, guestData, rights] = await Promise.all([
    api.get(['cluster', 'backup-info', 'not-backed-up'], {}, { signal }),
    optional(['cluster', 'backup'], {}, { what: 'backup jobs', needs: 'Sys.Audit on /' }),
    optional(['cluster', 'resources'], { type: 'vm' }, { what: 'guests', needs: 'VM.Audit on /vms' }),
    readRights(api, signal),
  ])
  missing.push(...hiddenLine(rights, 'guests'))
  const guests = new Map(rowsOf(GuestRow, guestData).rows.map((guest) => [guest.vmid, guest]))
  const bareRows = new Map(rowsOf(BareRow, bare).rows.map((row) => [row.vmid, row]))
  const jobs = jobData === undefined ? undefined : rowsOf(JobRow, jobData).rows
  const enabled = jobs?.filter(isEnabled) ?? []
  const disabled = jobs?.filter((job) => !isEnabled(job)) ?? []
  const onlyByDisabled = [...guests.values()].filter(
    (guest) => disabled.some((job) => covers(job, guest)) && !enabled.some((job) => covers(job, guest)),
  )
  const vmids = new Set([...bareRows.keys(), ...onlyByDisabled.map(({ vmid }) => vmid)])
  const uncovered = [...vmids]
    .sort((a, b) => a - b)
    .map((vmid): Uncovered => {
      const guest = guests.get(vmid)
      const name = guest?.name ?? bareRows.get(vmid)?.name
      const sleeping = guest === undefined ? [] : disabled.filter((job) => covers(job, guest))
      return {
        vmid,
        name,
        isTemplate: guest?.template === 1,
        disabledJobs: sleeping.map(({ id }) => id ?? '(without id)'),
      }
    })
  return {
    uncovered,
    jobs: jobs === undefined ? null : { enabled: enabled.length, disabled: disabled.length },
    missing,
  }
}

/** A job without the flag is enabled. */
const isEnabled = ({ enabled }: JobRow) => enabled !== false

const listOf = (list: string | undefined) => (list ?? '').split(/[\s,;]+/).map(Number)

function covers({ all, vmid, exclude, pool, node }: JobRow, guest: z.output<typeof GuestRow>): boolean {
  if (node !== undefined && node !== guest.node) return false
  if (all) return !listOf(exclude).includes(guest.vmid)
  return pool === undefined ? listOf(vmid).includes(guest.vmid) : pool === guest.pool
}
