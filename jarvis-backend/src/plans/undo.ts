import { hashOf } from 'node-kit/canonical'
import type { StoredChange } from '../calls/changes/change.ts'
import type { StoredPlan } from '../calls/plans/plan.ts'
import { Mistake } from '../gate/index.ts'
import { type Procedure, type Step, usualMaxAgeMs } from '../runbooks/procedure.ts'
import type { Request } from './planned.ts'

const undoable: readonly StoredChange['state'][] = ['made', 'armed', 'unknown']

/**
 * Makes the request for a plan that undoes another plan: an `undo` for each change that its steps made, newest first. Changes that cannot be undone
 * are left out.
 * @throws Mistake if the plan is still running, or if none of its changes can be undone
 */
export function undoRequest(plan: StoredPlan | undefined, changeOf: (id: string) => StoredChange | undefined): Request {
  if (plan === undefined) throw new Mistake('plan: there is no such plan.')
  if (plan.state === 'running') throw new Mistake('plan: it is not over yet. Stop it first.')
  const changes = plan.steps.toReversed().flatMap(({ toolUseId }) => changeOf(toolUseId) ?? [])
  const open = changes.filter(({ state, undo }) => undoable.includes(state) && undo.kind === 'call')
  if (open.length === 0) throw new Mistake('plan: nothing of it can be taken back, or all of it was.')
  const steps = open.map(({ id, target, undo }, at): Step => {
    const sentence = undo.kind === 'call' ? undo.sentence : ''
    return {
      number: at + 1,
      title: target.id,
      toolName: 'undo',
      args: { change: id },
      takesBack: { target: target.id, sentence },
    }
  })
  const count = steps.length === 1 ? 'A step' : `${steps.length} steps`
  const title = `${count} back of the plan “${plan.facts.title}”`
  const procedure: Procedure = { title, about: '', inputs: [], alerts: [], maxAgeMs: usualMaxAgeMs, steps }
  const { id, facts } = plan
  const undoes = { id, hash: facts.hash, steps: facts.steps.filter(({ state }) => state !== 'skipped').length }
  return { procedure, hash: hashOf({ undoes: id, steps }), inputs: {}, undoes }
}
