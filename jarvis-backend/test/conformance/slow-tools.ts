import { setTimeout } from 'node:timers/promises'
import { z } from 'zod'
import { reading } from '../../src/tools/homelab/homelab-tool.ts'
import { defineTool, type Tool } from '../../src/tools/tool.ts'

const shown = { ...reading, timeoutMs: 120_000, description: 'Exists for the conformance suite alone.' }

/** Slow reads, of which the suite makes tasks. */
export const slowTools: Tool[] = [
  defineTool({
    ...shown,
    name: 'greet',
    title: 'greet',
    input: z.strictObject({ name: z.string() }),
    run: async ({ name }) => ({ text: `Hello, ${name}!`, summary: 'greet' }),
  }),
  defineTool({
    ...shown,
    name: 'slow_compute',
    title: 'slow_compute',
    input: z.strictObject({ seconds: z.number().min(0).max(60), label: z.string().optional() }),
    run: async ({ seconds }, { signal }) => {
      await setTimeout(seconds * 1_000, undefined, { signal })
      return { text: `Computed for ${seconds} s.`, summary: 'slow_compute' }
    },
  }),
  defineTool({
    ...shown,
    name: 'failing_job',
    title: 'failing_job',
    input: z.strictObject({}),
    run: async (_input, { signal }) => {
      await setTimeout(1_000, undefined, { signal })
      return { text: 'The job failed.', summary: 'failing_job', isError: true }
    },
  }),
]
