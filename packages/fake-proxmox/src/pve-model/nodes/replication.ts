import type { Model } from '../model.ts'
import { Refusal } from '../refusal.ts'
import { need, type Route, vmidShape } from '../route.ts'
import type { ReplicationFacts } from './facts.ts'

const tookMs = 5_000
/** Interval at which the scheduler looks for due jobs, ms. */
const everyMs = 60_000

const quarterS = 900

/** Updates a job to the present: every quarter of an hour the scheduler replicates each guest whose replication works. */
function caughtUp({ host }: Model, job: ReplicationFacts): ReplicationFacts {
  const quarter = Math.floor(host.now() / 1000 / quarterS) * quarterS
  const isTargetOn = host.nodes().some(({ name, isOnline }) => name === job.target && isOnline)
  const isWell = job.fails === undefined && job.disable === undefined && job.schedule === '*/15' && isTargetOn
  if (isWell && job.fail_count === 0 && job.last_sync < quarter - quarterS)
    Object.assign(job, { last_sync: quarter, last_try: quarter })
  return job
}

const rowOf = ({ host }: Model, { fails: _, ...job }: ReplicationFacts) => ({
  ...job,
  jobnum: Number(job.id.split('-')[1]),
  type: 'local',
  duration: job.last_sync === 0 ? 0 : 5.2,
  source: host.guest(job.guest)?.node,
  vmtype: host.guest(job.guest)?.type,
  next_sync: job.last_try + 900,
})
const jobIn = ({ host }: Model, id = '') => {
  const job = host.facts.replication.find((candidate) => candidate.id === id)
  if (job === undefined) throw new Refusal(500, `no such replication job '${id}'`)
  return job
}
const vmidOf = (id = '') => id.split('-')[0]

export const replicationRoutes: readonly Route[] = [
  {
    method: 'GET',
    pattern: /^\/nodes\/(?<node>[^/]+)\/replication$/,
    allowed: { guest: vmidShape },
    needs: () => [],
    // Proxmox leaves out guests that the token may not see, without an error.
    run: (view, { node }, { guest }) =>
      view.host.facts.replication
        .filter((job) => view.host.guest(job.guest)?.node === node && view.may(need(`/vms/${job.guest}`, 'VM.Audit')))
        .filter((job) => guest === undefined || job.guest === Number(guest))
        .map((job) => rowOf(view, caughtUp(view, job))),
  },
  {
    method: 'GET',
    pattern: /^\/nodes\/(?<node>[^/]+)\/replication\/(?<id>[1-9]\d{2,8}-\d{1,9})\/status$/,
    allowed: {},
    needs: ({ id }) => [need(`/vms/${vmidOf(id)}`, 'VM.Audit')],
    run: (model, { id }) => rowOf(model, caughtUp(model, jobIn(model, id))),
  },
  {
    method: 'POST',
    pattern: /^\/nodes\/(?<node>[^/]+)\/replication\/(?<id>[1-9]\d{2,8}-\d{1,9})\/schedule_now$/,
    allowed: {},
    needs: ({ id }) => [need(`/vms/${vmidOf(id)}`, 'VM.Replicate')],
    run(model, { id }) {
      const { host } = model
      const job = jobIn(model, id)
      host.later(everyMs - (host.now() % everyMs), () => {
        job.last_try = Math.floor(host.now() / 1000)
        const isTargetOn = host.nodes().some(({ name, isOnline }) => name === job.target && isOnline)
        const words = job.fails ?? (isTargetOn ? undefined : `command 'ssh root@${job.target}' failed: exit code 255`)
        host.later(tookMs, () => {
          if (words === undefined) {
            Object.assign(job, { last_sync: job.last_try, fail_count: 0 })
            delete job.error
          } else Object.assign(job, { fail_count: job.fail_count + 1, error: words })
        })
      })
    },
  },
]
