import { z } from 'zod'
import { noTarget } from '../../gate/effect.ts'
import { PlanRun } from '../../protocol/index.ts'
import { named } from '../../redaction/visible.ts'
import { runbookTool } from './runbook-tool.ts'

export const runRunbook = runbookTool({
  name: 'run_runbook',
  title: 'Run a runbook',
  description:
    'Runs a runbook: all its calls with their values become one plan, approved as a whole where a call asks, run one by one and checked.',
  // What its calls are raises it.
  tier: 'yellow',
  raises: [{ tier: 'red', words: 'where a call of its plan asks' }],
  touches: [{ kind: 'create', on: 'site' }],
  effects: ({ name }) => [
    { kind: 'create', on: 'site', target: noTarget, sentence: `The runbook ${named(name)} runs as this plan.` },
  ],
  startsPlan: true,
  prepare: ({ name, inputs = {} }, { signal }, { plan }) => plan({ name, inputs }, signal),
  ending: () => ({ begun: 'Its plan had begun and goes on by itself. Its own lines in this session say how it ends.' }),
  timeoutMs: 20 * 60_000,
  input: z.strictObject({
    name: z.string().min(1).max(60),
    inputs: z.record(z.string(), z.unknown()).optional(),
  }),
  output: z.object({ plan: PlanRun }),
  async run(_input, { toolUseId = '', signal, onProgress }, { follow }) {
    const { plan, words } = await follow(toolUseId, { signal, onProgress })
    const { state, steps, why } = plan
    const seen = {
      running: 'still runs',
      asks: 'a step waits for a person',
      done: 'done',
      stopped: 'stopped',
      unknown: 'a step may have run',
    }
    return {
      text: words,
      summary: `${seen[state]}, ${steps.length} ${steps.length === 1 ? 'step' : 'steps'}${why === undefined ? '' : `: ${why}`}`,
      data: { plan },
      ...((state === 'stopped' || state === 'unknown') && { isError: true }),
    }
  },
})
