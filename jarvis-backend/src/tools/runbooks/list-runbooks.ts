import { Runbook } from 'protocol'
import { z } from 'zod'
import { reads } from '../../gate/targets.ts'
import { oneLine } from '../../homelab/format.ts'
import { runbookTool } from './runbook-tool.ts'

export const listRunbooks = runbookTool({
  name: 'list_runbooks',
  title: 'List runbooks',
  description: 'Lists the runbooks: written procedures for known troubles, with their inputs. run_runbook runs one.',
  tier: 'green',
  touches: [{ kind: 'read', on: 'site' }],
  effects: (_input, world) => reads({}, world),
  timeoutMs: 10_000,
  input: z.strictObject({}),
  example: {},
  output: z.object({ runbooks: z.array(Runbook) }),
  async run(_input, _context, { list }) {
    const runbooks = list()
    const lines = runbooks.map(({ name, title, about, inputs, faults }) => {
      const asks = inputs.map((input) => `${input.name}${input.isRequired ? '' : '?'}: ${input.type}`).join(', ')
      const [fault] = faults
      const broken = fault === undefined ? '' : ` CANNOT RUN, line ${fault.line}: ${oneLine(fault.message, 120)}`
      return `${name} (${asks || 'no inputs'}): ${oneLine(title, 100)}. ${oneLine(about, 200)}${broken}`
    })
    const summary = `${runbooks.length} ${runbooks.length === 1 ? 'runbook' : 'runbooks'}`
    return { text: [`${summary}.`, ...lines].join('\n'), summary, data: { runbooks } }
  },
})
