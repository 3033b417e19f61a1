import { PlanProposal } from 'protocol'
import { noTarget } from '../../gate/effect.ts'
import { begunPlan, planOutput, planTimeoutMs, planTool, runPlan } from './plan-tool.ts'

export const proposePlan = planTool({
  name: 'propose_plan',
  title: 'Propose a plan',
  description:
    'Has 2-20 calls judged, approved on one card and run. A value {step, path: "guests(name=web).vmid"} comes from an earlier read.',
  // The calls of the plan raise this tier.
  tier: 'yellow',
  raises: [{ tier: 'red', words: 'where a call of its plan asks' }],
  shows: 'conversation',
  touches: [{ kind: 'create', on: 'site' }],
  effects: ({ steps }) => [
    { kind: 'create', on: 'site', target: noTarget, sentence: `This plan of ${steps.length} steps runs.` },
  ],
  startsPlan: true,
  leadsTo(input) {
    const { data } = PlanProposal.safeParse(input)
    return data?.steps.flatMap(({ tool, check }) => [tool, ...(check?.tool === undefined ? [] : [check.tool])]) ?? []
  },
  prepare: (proposal, { signal, sessionId: _, ...whose }, { propose }) => propose(proposal, signal, whose),
  ending: begunPlan,
  timeoutMs: planTimeoutMs,
  input: PlanProposal,
  example: {
    goal: 'Start it anew.',
    steps: [
      { id: 'stop', tool: 'stop_vm', input: { vmid: 131 } },
      { id: 'start', tool: 'start_vm', input: { vmid: 131 } },
    ],
  },
  output: planOutput,
  run: (_input, context, { follow }) => runPlan(context, follow),
})
