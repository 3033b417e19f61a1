import { named } from 'redaction/visible'
import { z } from 'zod'
import { type Effect, Mistake, noTarget } from '../../gate/effect.ts'
import { type JobPorts, jobTool } from './ports.ts'

/** @param ports absent if no JARVIS runs: no job is known then @throws Mistake if there is no such active job */
function activeJob(name: string, ports: JobPorts | undefined) {
  const job = ports?.find(name)
  if (job === undefined) throw new Mistake('job: there is no such job. list_jobs shows them.')
  if (job.state !== 'active') throw new Mistake('job: it does not run any more.')
  return job
}

/** Pauses a job, so that a person can resume it. Asks if a person made the job or JARVIS ships it. */
export const cancelJob = jobTool({
  name: 'cancel_job',
  title: 'Cancel a job',
  description: 'Pauses a job, by its id or name.',
  tier: 'yellow',
  touches: [{ kind: 'config', on: 'site' }],
  raises: [{ tier: 'red', words: 'a job that a person made, or that comes with JARVIS' }],
  effects({ job: name }, _world, ports?: JobPorts): Effect[] {
    const job = activeJob(name, ports)
    return [
      {
        kind: 'config',
        on: 'site',
        target: noTarget,
        sentence: `The job ${named(job.name)} runs no more until a person resumes it.`,
        ...(job.askedBy === undefined && {
          atLeast: { tier: 'red' as const, because: 'A person made this job, or it comes with JARVIS.' },
        }),
      },
    ]
  },
  undo: () => ({ kind: 'none', because: 'A person resumes it on the page Automations.', losesNothing: true }),
  ending: ({ job }) => ({ look: `list_jobs shows whether ${named(job)} is paused.` }),
  isComposed: true,
  timeoutMs: 10_000,
  input: z.strictObject({ job: z.string() }),
  example: { job: 'none' },
  output: z.object({ id: z.string(), name: z.string() }),
  async run({ job: name }, { asker, approvedBy }, ports) {
    const job = activeJob(name, ports)
    const by = approvedBy ?? asker?.name ?? 'a tool call'
    ports.pause(job.id, by, `Cancelled by ${asker?.kind === 'chat' ? 'a chat' : (asker?.name ?? 'a tool call')}.`)
    return {
      text: `${job.name} is paused. A person can resume it.`,
      summary: `${job.name} is paused`,
      data: { id: job.id, name: job.name },
    }
  },
})
