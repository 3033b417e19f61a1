import { JobBody, readAs } from 'protocol'
import { named } from 'redaction/visible'
import { z } from 'zod'
import { type Effect, Mistake, noTarget } from '../../gate/effect.ts'
import { oneLine } from '../../homelab/format.ts'
import { jobTool } from './ports.ts'

const asked = z.strictObject({
  name: z.string(),
  prompt: z.string().optional(),
  tool: z.string().optional(),
  input: z.record(z.string(), z.unknown()).optional(),
  when: z.string().describe('`0 3 * * * Europe/Berlin`, `every 30 min` or an ISO time.'),
})

/**
 * Builds a job from the arguments. The limits of its fields are checked here, because limits in the schema would cost tokens in every request to a
 * model. @throws Mistake
 */
function bodyOf({ name, prompt, tool, input, when }: z.output<typeof asked>, zone: string): JobBody {
  if ((prompt === undefined) === (tool === undefined)) throw new Mistake('prompt, tool: give one of the two.')
  const work =
    tool === undefined
      ? { kind: 'prompt' as const, text: prompt ?? '' }
      : { kind: 'call' as const, toolName: tool, toolInput: input ?? {} }
  const body = readAs(JobBody, { name, work, schedule: scheduleIn(when.trim(), zone) })
  if (!body.ok) throw new Mistake(body.problem)
  return body.value
}

function scheduleIn(when: string, own: string): JobBody['schedule'] {
  const minutes = /^every (\d{1,5}) ?min(?:utes)?$/i.exec(when)?.[1]
  if (minutes !== undefined && Number(minutes) > 0 && Number(minutes) <= longestMinutes)
    return { kind: 'interval', minutes: Number(minutes) }
  if (/^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/.test(when)) return { kind: 'once', at: Date.parse(when) }
  const fields = when.split(/\s+/)
  const zone = fields[5]
  return { kind: 'cron', line: (zone === undefined ? fields : fields.slice(0, 5)).join(' '), zone: zone ?? own }
}
const longestMinutes = 60 * 24 * 31

/**
 * Makes a job. The call always asks, whatever the policy profile says, because the job runs later and repeatedly in the name of the person who
 * approves this card. Each run is judged anew.
 */
export const schedule = jobTool({
  name: 'schedule',
  title: 'Schedule a job',
  description: 'Makes a job: a prompt or one call that runs by itself, judged anew each time.',
  tier: 'red',
  touches: [{ kind: 'config', on: 'site' }],
  raises: [{ tier: 'red', words: 'always: a person answers for what runs by itself' }],
  effects(input, _world, ports): Effect[] {
    const body = bodyOf(input, ports.zone)
    const problem = ports.problemOf(body)
    if (problem !== undefined) throw new Mistake(problem)
    const { words } = ports.preview(body.schedule)
    const does =
      body.work.kind === 'call'
        ? `calls ${body.work.toolName} ${JSON.stringify(body.work.toolInput)}`
        : `says to the model: ${JSON.stringify(input.prompt)}`
    return [
      {
        kind: 'config',
        on: 'site',
        target: noTarget,
        sentence: `The job ${named(body.name)} runs ${words}, in the name of whoever approves this, and ${oneLine(does, 2_000)}.`,
        atLeast: { tier: 'red', because: 'A person answers for what runs by itself.', isAlways: true },
      },
    ]
  },
  undo: ({ name }) => ({
    kind: 'call',
    toolName: 'cancel_job',
    input: { job: name },
    sentence: `The job ${named(name)} is paused.`,
  }),
  ending: ({ name }) => ({ look: `list_jobs shows whether ${named(name)} was made.` }),
  isComposed: true,
  timeoutMs: 10_000,
  input: asked,
  example: { name: 'nightly', when: 'every day at 03:00', prompt: 'Look.' },
  output: z.object({ id: z.string(), words: z.string(), next: z.array(z.int()) }),
  async run(input, { asker, approvedBy }, ports) {
    // The gate runs such a call only after a person's approval, so every job has a person's name.
    if (approvedBy === undefined) throw new Error('A job was to be made that nobody had approved.')
    const askedBy = asker?.kind === 'command' ? undefined : asker
    const { id, words, next } = ports.make(bodyOf(input, ports.zone), { by: approvedBy, askedBy })
    const first = next[0] === undefined ? 'never' : new Date(next[0]).toISOString()
    return {
      text: `Made ${id}: ${words}. Next: ${first}.`,
      summary: `${input.name}: ${words}`,
      data: { id, words, next },
    }
  },
})
