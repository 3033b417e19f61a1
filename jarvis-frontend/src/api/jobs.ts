import type {
  HeartbeatReply,
  Job,
  JobBody,
  JobPatchBody,
  JobSlotsPage,
  JobsReply,
  JobTrace,
  SchedulePreview,
} from 'protocol'
import type { z } from 'zod'
import { call } from './http.ts'

const pathOf = (id: string) => `/api/jobs/${encodeURIComponent(id)}`

export const readJobs = () => call<JobsReply>('GET', '/api/jobs')
/** Reads a schedule's words and its next five instants. @throws ApiError if the schedule is not valid */
export const previewSchedule = (schedule: Job['schedule']) =>
  call<SchedulePreview>('POST', '/api/jobs/preview', { schedule })
export const makeJob = (job: z.input<typeof JobBody>) => call<Job>('POST', '/api/jobs', job)
export const changeJob = (id: string, change: z.input<typeof JobPatchBody>) => call<Job>('PATCH', pathOf(id), change)
export const removeJob = (id: string) => call('DELETE', pathOf(id))
/** Runs a job once, now. */
export const runJob = (id: string) => call<{ sessionId?: string } | undefined>('POST', `${pathOf(id)}/run`)
/** Approves the calls of a drill job beforehand, until a day that the server sets; or withdraws that approval. */
export const allowDrills = (id: string, isAllowed: boolean) =>
  call<Job>(isAllowed ? 'POST' : 'DELETE', `${pathOf(id)}/approval`)
/** Switches all jobs on or off. While they are off, no job starts by itself. */
export const switchJobs = (isOn: boolean) => call('POST', `/api/jobs/${isOn ? 'start' : 'stop'}`)
/** Reads the slots of a job, newest first. @param before the `next` of an earlier page */
export const readSlots = (id: string, before?: string) =>
  call<JobSlotsPage>(
    'GET',
    `${pathOf(id)}/slots?${new URLSearchParams({ limit: '30', ...(before !== undefined && { before }) })}`,
  )
export const readTrace = (id: string, slot: number) => call<JobTrace>('GET', `${pathOf(id)}/slots/${slot}`)
export const readHeartbeat = () => call<HeartbeatReply>('GET', '/api/heartbeat')
