import { cancelJob } from './cancel-job.ts'
import { listJobs } from './list-jobs.ts'
import { schedule } from './schedule.ts'

/** The tools over jobs. */
export const jobTools = [schedule, listJobs, cancelJob]
