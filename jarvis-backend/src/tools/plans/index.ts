import { proposePlan } from './propose-plan.ts'
import { undoPlan } from './undo-plan.ts'
import { updatePlan } from './update-plan.ts'

/** The tools over plans: plans of calls that a model proposes, and the model's own todo list. */
export const planTools = [updatePlan, proposePlan, undoPlan]
