import { z } from 'zod'
import { plainName } from '../../homelab/format.ts'
import { readCoverage, type Uncovered } from '../../homelab/operations/coverage.ts'
import { homelabTool, reading, rights } from '../homelab/homelab-tool.ts'
import { readTimeoutMs } from '../homelab/inputs.ts'
import { missingText, notRead, usualLimit } from '../homelab/listing.ts'
import { UncoveredOutput } from '../outputs.ts'

export const getUncoveredGuests = homelabTool({
  ...reading,
  name: 'get_uncovered_guests',
  title: 'List guests in no backup job',
  description:
    'Lists guests that no enabled backup job covers, and those that only a disabled job would. About plans; get_backups shows which backups exist.',
  needs: [rights.quorum, rights.guests],
  timeoutMs: readTimeoutMs,
  input: z.strictObject({}),
  example: {},
  output: UncoveredOutput,
  async run(_input, { signal }, { api }) {
    const { uncovered, jobs, missing } = await readCoverage(api, signal)
    const guests = uncovered.filter(({ isTemplate }) => !isTemplate)
    const left = uncovered.length - usualLimit
    const lines = uncovered.slice(0, usualLimit).map(lineOf)
    const doubt = jobs === null ? ['Whether further guests are only in a disabled job is unknown.'] : []
    const head =
      uncovered.length === 0
        ? jobs === null
          ? 'Proxmox names no guest without a job, and counts disabled jobs.'
          : `Every guest ${missing.length === 0 ? '' : 'that this token sees '}is in an enabled backup job.`
        : `${uncovered.length} in no enabled backup job:`
    const told = jobs === null ? [] : [`Backup jobs: ${jobs.enabled} enabled, ${jobs.disabled} disabled.`]
    return {
      text: [...missingText(missing), head, ...lines, ...(left > 0 ? [`${left} more.`] : []), ...doubt, ...told].join(
        '\n',
      ),
      summary: [
        ...notRead(missing),
        guests.length === 0 ? 'none found uncovered' : `${guests.length} guests not covered`,
      ].join('; '),
      data: { guests: uncovered, jobs, missing },
    }
  },
})

function lineOf({ vmid, name, isTemplate, disabledJobs }: Uncovered): string {
  const who = `${vmid} ${name === undefined ? '(name unknown)' : plainName(name)}${isTemplate ? ' (template)' : ''}`
  if (disabledJobs.length === 0) return `${who}: in no job`
  const jobs = disabledJobs.map(plainName).join(', ')
  return `${who}: only in the disabled ${disabledJobs.length === 1 ? 'job' : 'jobs'} ${jobs}, which run no more`
}
