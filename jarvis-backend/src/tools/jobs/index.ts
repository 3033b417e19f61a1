import type { Tool } from '../tool.ts'
import { cancelJobTool } from './cancel-job.ts'
import { listJobsTool } from './list-jobs.ts'
import type { JobPorts } from './ports.ts'
import { scheduleTool } from './schedule.ts'

/** The tools over what runs by itself. */
export const jobTools = (ports: JobPorts): Tool[] => [scheduleTool(ports), listJobsTool(ports), cancelJobTool(ports)]
