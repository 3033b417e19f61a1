import {
  Job,
  JobBody,
  JobPatchBody,
  JobSlotsPage,
  JobsReply,
  JobTrace,
  type PersonRef,
  SchedulePreview,
  SchedulePreviewBody,
} from 'protocol'
import { z } from 'zod'
import type { Shown } from '../auth/closed-words.ts'
import type { DrillApprovals, JobTraces } from '../jobs/job.ts'
import type { Jobs } from '../jobs/jobs.ts'
import { type Route, route } from './route.ts'

const SlotsQuery = z.strictObject({
  before: z.coerce.number().int().optional(),
  limit: z.coerce.number().int().min(1).max(500).default(50),
})

/** `/api/jobs`: the jobs, their next start, and the outcome of each run. */
export function jobRoutes({
  jobs,
  approvals,
  traces,
  shown,
}: {
  jobs: Jobs
  approvals: Pick<DrillApprovals, 'approve' | 'withdraw'>
  traces: JobTraces
  shown(person: PersonRef): Pick<Shown, 'job' | 'jobs' | 'slot' | 'trace'>
}): Route[] {
  return [
    route('/jobs').get(
      'Jobs, with the next five times and the last ten slots of each. [Automations](automations.md) has the states.',
      { role: 'viewer', token: 'read', reply: JobsReply },
      ({ identity }) => shown(identity.person).jobs(jobs.list()),
    ),
    route('/jobs').post(
      'Makes a job. 400 with the reason where it cannot run, and nothing is saved.',
      { role: 'operator', body: JobBody, reply: Job, status: 201 },
      ({ body, by }) => jobs.make(body, { by }),
    ),
    route('/jobs/preview').post(
      'A schedule in words, with its next times; saves nothing.',
      { role: 'viewer', token: 'read', body: SchedulePreviewBody, reply: SchedulePreview },
      ({ body }) => jobs.preview(body.schedule),
    ),
    route('/jobs/stop').post('Stops all jobs.', { role: 'operator', reply: JobsReply }, ({ by }) => {
      jobs.stopAll(true, by)
      return jobs.list()
    }),
    route('/jobs/start').post('Lets jobs run again.', { role: 'operator', reply: JobsReply }, ({ by }) => {
      jobs.stopAll(false, by)
      return jobs.list()
    }),
    route('/jobs/:id').get('One job.', { role: 'viewer', token: 'read', reply: Job }, ({ params, identity }) =>
      shown(identity.person).job(jobs.get(params.id)),
    ),
    route('/jobs/:id').patch(
      'Changes or pauses a job.',
      { role: 'operator', body: JobPatchBody, reply: Job },
      ({ params, body, by }) => jobs.change(params.id, body, by),
    ),
    route('/jobs/:id').delete(
      'Deletes a job; one that comes with JARVIS cannot be.',
      { role: 'operator' },
      ({ params, by }) => jobs.remove(params.id, by),
    ),
    route('/jobs/:id/run').post(
      'Runs a job now. 409 while a run of it goes on.',
      { role: 'operator', status: 202, reply: z.object({ slot: z.int() }) },
      ({ params, by }) => jobs.run(params.id, by),
    ),
    route('/jobs/:id/approval').post(
      'Allows the drills of a drill job beforehand, until `approvedUntil`.',
      { role: 'operator', password: true, reply: Job },
      ({ params, by }) => {
        approvals.approve(jobs.stored(params.id), by)
        return jobs.get(params.id)
      },
    ),
    route('/jobs/:id/approval').delete('Ends that.', { role: 'operator', reply: Job }, ({ params, by }) => {
      approvals.withdraw(jobs.stored(params.id), by)
      return jobs.get(params.id)
    }),
    route('/jobs/:id/slots').get(
      'The job’s slots, newest first. `limit` is 1 to 500, `before` Unix ms.',
      { role: 'viewer', token: 'read', query: SlotsQuery, reply: JobSlotsPage },
      ({ params, query: { before, limit }, identity }) => {
        const found = jobs.slots(params.id, { limit: limit + 1, before })
        const items = found.slice(0, limit).map(shown(identity.person).slot)
        const oldest = items.at(-1)
        return { items, ...(found.length > limit && oldest && { next: String(oldest.slot) }) }
      },
    ),
    route('/jobs/:id/slots/:slot').get(
      'A slot with `steps`, each call of its run, and `said`.',
      { role: 'viewer', token: 'read', reply: JobTrace },
      ({ params, identity }) => shown(identity.person).trace(traces.of(jobs.slot(params.id, Number(params.slot)))),
    ),
  ]
}
