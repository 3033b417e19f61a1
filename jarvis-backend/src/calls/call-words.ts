import { PlanPointer, PlanProposal, type ProposedCheck, type ProposedStep } from 'protocol'

/**
 * A call in words, in one line: `stop_vm 103`, `backup_guest 104 storage="nas 2"`. A proposed plan is told by its goal and its steps. Text that could be
 * taken for another argument stands in quotes.
 */
export function callWords({ toolName, toolInput }: { toolName: string; toolInput: Record<string, unknown> }): string {
  const { data: plan } = PlanProposal.safeParse(toolInput)
  if (plan !== undefined)
    return `${toolName} ${JSON.stringify(plan.goal)}: ${plan.steps.map((step, index) => `${index + 1}. ${stepWords(step, plan)}`).join('; ')}`
  return [toolName, ...argumentsOf(toolInput)].join(' ')
}

/** True if a call proposes a plan, whose card lists all of its steps. */
export const isPlan = (toolInput: unknown): boolean => PlanProposal.safeParse(toolInput).success

function stepWords({ tool, input, check, onFailure }: ProposedStep, plan: PlanProposal): string {
  return [
    [tool, ...argumentsOf(input, plan)].join(' '),
    ...(check === undefined ? [] : [checkWords(check, plan)]),
    ...(onFailure === 'skip' ? ['skipped if it fails'] : []),
  ].join(', ')
}

const checkWords = ({ tool, input = {}, path, op, value, withinS }: ProposedCheck, plan: PlanProposal) =>
  [
    `then ${tool === undefined ? 'its' : `${[tool, ...argumentsOf(input, plan)].join(' ')}:`} ${path} ${op} ${plain(value)}`,
    ...(withinS === undefined ? [] : [`within ${withinS} s`]),
  ].join(' ')

/** The number of a proposed step from 1, or its id where no step has that id. */
const numberOf = (id: string, { steps }: PlanProposal) => {
  const index = steps.findIndex((step) => step.id === id)
  return index < 0 ? plain(id) : String(index + 1)
}

function argumentsOf(input: Record<string, unknown>, plan?: PlanProposal): string[] {
  return Object.entries(input).map(([key, value]) => {
    const { data: pointer } = plan === undefined ? { data: undefined } : PlanPointer.safeParse(value)
    const text = pointer !== undefined && plan ? `(${pointer.path} of ${numberOf(pointer.step, plan)})` : plain(value)
    return key === 'vmid' || key === 'node' ? text : `${key}=${text}`
  })
}

const plain = (value: unknown) =>
  typeof value === 'string' && /^[\w./:@,()=+%~-]+$/.test(value) ? value : JSON.stringify(value)
