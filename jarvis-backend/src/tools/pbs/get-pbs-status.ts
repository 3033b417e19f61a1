import { percent, spanOf } from 'node-kit/words'
import { shareOf } from 'protocol/facts'
import { z } from 'zod'
import { ageOf, diskOf, oneLine, plainName } from '../../homelab/format.ts'
import { type Datastore, type PbsJob, readDatastores, readJobs } from '../../homelab/pbs/read.ts'
import { missingText, notRead } from '../homelab/listing.ts'
import { PbsStatusOutput } from '../outputs.ts'
import { pbsTool, quoting } from './pbs-tool.ts'

/** True if the job's last run failed. `OK`, `OK: …`, `running` and warnings are not failures. */
const isFailed = ({ lastState }: PbsJob) => lastState !== null && !/^(OK|running|WARNINGS?)\b/i.test(lastState)

export const getPbsStatus = pbsTool({
  ...quoting,
  name: 'get_pbs_status',
  title: 'Show the backup server',
  description:
    'Shows the backup server’s datastores (use, when full) and how its verify, garbage collection, prune and sync jobs last ended.',
  timeoutMs: 60_000,
  input: z.strictObject({}),
  example: {},
  output: PbsStatusOutput,
  async run(_input, { signal }, { api, pbs }) {
    const now = api.now()
    const [stores, jobs] = await Promise.all([readDatastores(pbs, { signal, now }), readJobs(pbs, { signal })])
    const missing = [...stores.missing, ...jobs.missing]
    const datastores = stores.items
    const failed = jobs.items.filter(isFailed)
    const fullest = datastores
      .flatMap(({ name, usedBytes, totalBytes }) => {
        const share = shareOf(usedBytes, totalBytes)
        return share === undefined ? [] : [{ name, share }]
      })
      .sort((a, b) => b.share - a.share)[0]
    return {
      text: [
        ...missingText(missing),
        headOf(datastores.length, 'datastores'),
        ...datastores.map((store) => storeLine(store, now)),
        jobs.isUnread ? 'Jobs are unknown.' : headOf(jobs.items.length, 'jobs'),
        ...jobs.items.toSorted((a, b) => Number(isFailed(b)) - Number(isFailed(a))).map((job) => jobLine(job, now)),
      ].join('\n'),
      summary: [
        ...notRead(missing),
        fullest === undefined ? 'use unknown' : `${plainName(fullest.name)} ${percent(fullest.share)} full`,
        jobs.isUnread ? 'jobs unknown' : failed.length === 0 ? 'no job failed' : `${failed.length} jobs failed`,
      ].join('; '),
      data: { datastores, jobs: jobs.isUnread ? null : jobs.items, missing },
      isError: datastores.length === 0,
    }
  },
})

const headOf = (count: number, what: string) => (count === 0 ? `No ${what}.` : `${count} ${what}:`)

function storeLine({ name, usedBytes, totalBytes, fullAt, maintenance, error }: Datastore, now: number): string {
  const share = shareOf(usedBytes, totalBytes)
  const use =
    usedBytes === undefined || totalBytes === undefined || share === undefined
      ? 'use unknown'
      : `${diskOf(usedBytes)} of ${diskOf(totalBytes)} (${percent(share)})`
  const full =
    fullAt === undefined
      ? 'when it is full is unknown'
      : fullAt === null
        ? 'not filling'
        : `full in ${spanOf((fullAt - now) / 1000)}`
  return [
    `${plainName(name)}: ${use}`,
    full,
    ...(maintenance === undefined ? [] : [`in maintenance (${oneLine(maintenance, 60)})`]),
    ...(error === undefined ? [] : [`error: ${oneLine(error, 120)}`]),
  ].join(', ')
}

function jobLine(job: PbsJob, now: number): string {
  const { kind, id, store, isDisabled, lastState, lastAt, schedule, pendingBytes, badChunks } = job
  const name = kind === 'gc' ? `gc of ${plainName(store)}` : `${kind} ${plainName(id)} of ${plainName(store)}`
  const end =
    lastState === null
      ? 'no run known'
      : `last ${oneLine(lastState, 120)}${lastAt === undefined ? '' : ` ${ageOf(lastAt, now)}`}`
  return [
    `${name}: ${end}`,
    ...(isDisabled ? ['disabled'] : schedule === undefined ? ['no schedule'] : []),
    ...(pendingBytes === undefined || pendingBytes === 0 ? [] : [`${diskOf(pendingBytes)} freed by a later run`]),
    ...(badChunks === undefined || badChunks === 0 ? [] : [`${badChunks} BROKEN chunks`]),
  ].join(', ')
}
