import {
  Runbook,
  RunbookBody,
  RunbookCheck,
  RunbookCheckBody,
  RunbookRunBody,
  RunbookRunReply,
  RunbookText,
  type ToolInput,
} from 'protocol'
import { z } from 'zod'
import type { Made } from '../plans/made.ts'
import { Mistake, PlanProblem } from '../plans/planner.ts'
import type { Library } from '../runbooks/library.ts'
import { endOf } from './handle.ts'
import { type Route, route } from './route.ts'

/** `/api/runbooks`: lists runbooks, checks and saves a text, and runs a runbook as a plan. */
export function runbookRoutes(parts: {
  library: Library
  redact<T>(value: T): T
  now(): number
  /** Creates the plan of a text without running it; undefined if the text has a fault. */
  make(request: { text: string; inputs: ToolInput; by: string; signal: AbortSignal }): Promise<Made> | undefined
  /** Starts a run of a saved runbook. */
  run(request: { name: string; inputs: ToolInput; by: string }): RunbookRunReply
}): Route[] {
  const { library, now, redact } = parts

  /** Creates the plan with real reads and resolved values, and changes nothing. */
  async function dryRun(made: Promise<Made>): Promise<RunbookCheck['plan']> {
    const at = now()
    try {
      const { leads, binds } = await made
      return { hash: leads.facts.hash, steps: leads.facts.steps, binds, at, durationMs: now() - at }
    } catch (error) {
      if (!(error instanceof Mistake)) throw error
      const { step, line, steps } = error instanceof PlanProblem ? error : { step: 0, line: undefined, steps: [] }
      return {
        hash: '',
        steps: [...steps],
        binds: [],
        at,
        durationMs: now() - at,
        problem: { step, message: error.message, line },
      }
    }
  }

  return [
    route('/runbooks').get(
      'The [runbooks](automations.md) with inputs, steps, the checks that offer them, and faults by line.',
      { role: 'viewer', token: 'read', reply: z.object({ items: z.array(Runbook) }) },
      () => redact({ items: library.list() }),
    ),
    route('/runbooks/check').post(
      'The faults of a text, and with `inputs` and no fault a dry run; saves nothing.',
      { role: 'operator', body: RunbookCheckBody, reply: RunbookCheck },
      async ({ body: { text, inputs }, by, response }) => {
        const { facts, hash } = library.parse(text)
        const runbook = { name: '', ...facts, isShipped: false, changedAt: now(), hash }
        const made = inputs === undefined ? undefined : parts.make({ text, inputs, by, signal: endOf(response) })
        const plan = made && (await dryRun(made))
        return redact({ runbook, ...(plan && { plan }) })
      },
    ),
    route('/runbooks/:name').get(
      'A runbook with its text. Viewers get it redacted.',
      { role: 'viewer', token: 'read', reply: RunbookText },
      ({ params, identity }) => {
        const runbook = library.get(params.name)
        // An operator edits the text and needs it unredacted.
        return identity.role === 'operator' ? runbook : redact(runbook)
      },
    ),
    route('/runbooks/:name').put(
      'Saves a runbook. A text with a fault is refused with its line, and what was saved before stays. 409 where it changed since `hash`.',
      { role: 'operator', body: RunbookBody, reply: RunbookText },
      ({ params, body: { text, hash }, by }) => library.save(params.name, { text, hash }, by),
    ),
    route('/runbooks/:name').delete('Deletes a runbook.', { role: 'operator' }, ({ params, by }) =>
      library.remove(params.name, by),
    ),
    // The calls of the runbook are judged as one plan.
    route('/runbooks/:name/run').post(
      'Runs a runbook, in a session where its card or its plan appears.',
      { role: 'operator', body: RunbookRunBody, reply: RunbookRunReply },
      ({ params: { name }, body: { inputs }, by }) => parts.run({ name, inputs, by }),
    ),
  ]
}
