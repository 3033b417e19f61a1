import { z } from 'zod'
import { noTarget } from '../../gate/effect.ts'
import { begunPlan, planOutput, planTimeoutMs, planTool, runPlan } from './plan-tool.ts'

export const undoPlan = planTool({
  name: 'undo_plan',
  title: 'Take a plan back',
  description: 'Takes the changes of a plan back, as a plan: newest first.',
  // The calls of the plan raise this tier.
  tier: 'yellow',
  raises: [{ tier: 'red', words: 'where a call of its plan asks' }],
  touches: [{ kind: 'create', on: 'site' }],
  effects: () => [
    { kind: 'create', on: 'site', target: noTarget, sentence: 'The changes of a plan are taken back as this plan.' },
  ],
  startsPlan: true,
  prepare: ({ plan }, { signal, sessionId: _, ...whose }, { undo }) => undo(plan, signal, whose),
  ending: begunPlan,
  timeoutMs: planTimeoutMs,
  input: z.strictObject({ plan: z.string().min(1).max(100) }),
  example: { plan: 'none' },
  output: planOutput,
  run: (_input, context, { follow }) => runPlan(context, follow),
})
