import { Job } from 'protocol'
import { z } from 'zod'
import { reads } from '../../gate/targets.ts'
import { jobTool } from './ports.ts'

/** Lists the jobs, with the next run and the outcome of the last run. */
export const listJobs = jobTool({
  name: 'list_jobs',
  title: 'List jobs',
  description: 'Lists what runs by itself, with next run and last outcome.',
  tier: 'green',
  touches: [{ kind: 'read', on: 'site' }],
  effects: (_input, world) => reads({}, world),
  timeoutMs: 10_000,
  input: z.strictObject({}),
  example: {},
  output: z.object({ jobs: z.array(Job), isStopped: z.boolean() }),
  async run(_input, { asker }, ports) {
    const { items, stopped } = ports.list(asker)
    const lines = items.map(({ id, name, words, state, paused, next, last, by }) => {
      const newest = last.at(-1)
      return [
        `${id} ${JSON.stringify(name)}, ${words}, ${state}${paused === undefined ? '' : ` by ${paused.by}: ${paused.why}`}, of ${by}`,
        next[0] === undefined ? 'no next run' : `next ${new Date(next[0]).toISOString()}`,
        newest === undefined
          ? 'never ran'
          : `last ${new Date(newest.slot).toISOString()} ${newest.state}${newest.summary === undefined ? '' : `: ${newest.summary}`}`,
      ].join('; ')
    })
    const summary = `${items.length} ${items.length === 1 ? 'job' : 'jobs'}${stopped === null ? '' : ', all stopped'}`
    const all = stopped === null ? [] : [`All jobs were stopped by ${stopped.by}.`]
    return {
      text: [`${summary}.`, ...all, ...lines].join('\n'),
      summary,
      data: { jobs: items, isStopped: stopped !== null },
    }
  },
})
