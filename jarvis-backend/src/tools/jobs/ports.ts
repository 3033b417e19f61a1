import type { Job, JobBody, Principal } from 'protocol'
import { toolOver } from '../tool.ts'

/** The parts that the tools over jobs act through. */
export interface JobPorts {
  /** The jobs that the asker may see. */
  list(asker: Principal | undefined): { items: Job[]; stopped: { by: string; at: number } | null; zone: string }
  find(name: string): Pick<Job, 'id' | 'name' | 'askedBy' | 'state'> | undefined
  /** The schedule in words, and its next slots. @throws JarvisError `invalid_request` */
  preview(schedule: JobBody['schedule']): { words: string; next: number[] }
  problemOf(body: JobBody): string | undefined
  make(body: JobBody, maker: { by: string; askedBy?: Principal | undefined }): Job
  pause(id: string, by: string, why: string): boolean
  /** The time zone of a schedule that names none. */
  zone: string
}

export const jobTool = toolOver<JobPorts>()
