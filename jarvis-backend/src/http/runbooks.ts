import { Router } from 'express'
import { type Made, Mistake, PlanProblem } from '../plans/planner.ts'
import {
  RunbookBody,
  type RunbookCheck,
  RunbookCheckBody,
  RunbookRunBody,
  type RunbookRunReply,
  type ToolInput,
} from '../protocol/index.ts'
import type { Library } from '../runbooks/library.ts'
import { endOf, identityOf, operatorOnly, param, read } from './handle.ts'

/** `/api/runbooks`: what there is, checking and saving a text, and running one as a plan. */
export function runbookRoutes(parts: {
  library: Library
  redact<T>(value: T): T
  now(): number
  /** Makes the plan of a text without running it; undefined where the text has a fault. */
  make(request: { text: string; inputs: ToolInput; by: string; signal: AbortSignal }): Promise<Made> | undefined
  /** Starts a run of a saved one. */
  run(request: { name: string; inputs: ToolInput; by: string }): RunbookRunReply
}): Router {
  const { library, now, redact } = parts
  const router = Router()

  /** Real reads, resolved values, nothing changed. */
  async function dryRun(made: Promise<Made>): Promise<RunbookCheck['plan']> {
    const at = now()
    try {
      const { leads, binds } = await made
      return { ...{ hash: leads.facts.hash, steps: leads.facts.steps, binds, at }, durationMs: now() - at }
    } catch (error) {
      if (!(error instanceof Mistake)) throw error
      const { step, line, steps } = error instanceof PlanProblem ? error : { step: 0, line: undefined, steps: [] }
      return {
        ...{ hash: '', steps: [...steps], binds: [], at, durationMs: now() - at },
        problem: { step, message: error.message, ...(line !== undefined && { line }) },
      }
    }
  }

  router.get('/', (_request, response) => {
    response.json(redact({ items: library.list() }))
  })
  router.post('/check', operatorOnly, async (request, response) => {
    const { text, inputs } = read(RunbookCheckBody, request.body)
    const { facts, hash } = library.parse(text)
    const runbook = { name: '', ...facts, isShipped: false, changedAt: now(), hash }
    const by = identityOf(response).sub
    const made = inputs === undefined ? undefined : parts.make({ text, inputs, by, signal: endOf(response) })
    const plan = made && (await dryRun(made))
    response.json(redact({ runbook, ...(plan && { plan }) } satisfies RunbookCheck))
  })
  router.get('/:name', (request, response) => {
    const runbook = library.get(param(request, 'name'))
    // An operator edits the text and needs it unredacted.
    response.json(identityOf(response).role === 'operator' ? runbook : redact(runbook))
  })
  router.put('/:name', operatorOnly, (request, response) => {
    const { text, hash } = read(RunbookBody, request.body)
    response.json(library.save(param(request, 'name'), text, hash, identityOf(response).sub))
  })
  router.delete('/:name', operatorOnly, (request, response) => {
    library.remove(param(request, 'name'), identityOf(response).sub)
    response.status(204).end()
  })
  /** Its calls are judged as one plan; the session shows the card or the plan. */
  router.post('/:name/run', operatorOnly, (request, response) => {
    const { inputs } = read(RunbookRunBody, request.body)
    const name = param(request, 'name')
    response.json(parts.run({ name, inputs, by: identityOf(response).sub }))
  })
  return router
}
