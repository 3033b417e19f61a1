import { named } from 'redaction/visible'
import { z } from 'zod'
import { noTarget } from '../../gate/effect.ts'
import { begunPlan, planOutput, planTimeoutMs, runPlan } from '../plans/plan-tool.ts'
import { runbookTool } from './runbook-tool.ts'

export const runRunbook = runbookTool({
  name: 'run_runbook',
  title: 'Run a runbook',
  description:
    'Runs a runbook: all its calls with their values become one plan, approved as a whole where a call asks, run one by one and checked.',
  // The calls of the plan raise this tier.
  tier: 'yellow',
  raises: [{ tier: 'red', words: 'where a call of its plan asks' }],
  touches: [{ kind: 'create', on: 'site' }],
  effects: ({ name }) => [
    { kind: 'create', on: 'site', target: noTarget, sentence: `The runbook ${named(name)} runs as this plan.` },
  ],
  startsPlan: true,
  prepare: ({ name, inputs = {} }, { signal, sessionId: _, ...whose }, { plan }) =>
    plan({ name, inputs, whose }, signal),
  ending: begunPlan,
  timeoutMs: planTimeoutMs,
  input: z.strictObject({
    name: z.string().min(1).max(60),
    inputs: z.record(z.string(), z.unknown()).optional(),
  }),
  example: { name: 'none' },
  output: planOutput,
  run: (_input, context, { follow }) => runPlan(context, follow),
})
