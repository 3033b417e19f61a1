import type { Job } from 'protocol'
import type { Body } from 'protocol/client'
import { call } from './http.ts'

export const readJobs = () => call('GET /api/jobs')
/** Reads a schedule's words and its next five instants. @throws ApiError if the schedule is not valid */
export const previewSchedule = (schedule: Job['schedule']) => call('POST /api/jobs/preview', { body: { schedule } })
export const makeJob = (job: Body<'POST /api/jobs'>) => call('POST /api/jobs', { body: job })
export const changeJob = (id: string, change: Body<'PATCH /api/jobs/:id'>) =>
  call('PATCH /api/jobs/:id', { params: { id }, body: change })
export const removeJob = (id: string) => call('DELETE /api/jobs/:id', { params: { id } })
/** Runs a job once, now. */
export const runJob = (id: string) => call('POST /api/jobs/:id/run', { params: { id } })
/** Approves the calls of a drill job beforehand, until a day that the server sets; or withdraws that approval. */
export const allowDrills = (id: string, isAllowed: boolean) =>
  call(isAllowed ? 'POST /api/jobs/:id/approval' : 'DELETE /api/jobs/:id/approval', { params: { id } })
/** Switches all jobs on or off. While they are off, no job starts by itself. */
export const switchJobs = (isOn: boolean) => call(isOn ? 'POST /api/jobs/start' : 'POST /api/jobs/stop')
/** Reads the slots of a job, newest first. @param before the `next` of an earlier page */
export const readSlots = (id: string, before?: string) =>
  call('GET /api/jobs/:id/slots', {
    params: { id },
    query: { limit: 30, ...(before !== undefined && { before: Number(before) }) },
  })
export const readTrace = (id: string, slot: number) =>
  call('GET /api/jobs/:id/slots/:slot', { params: { id, slot: String(slot) } })
export const readHeartbeat = () => call('GET /api/heartbeat')
