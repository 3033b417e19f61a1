import { spanOf } from 'node-kit/words'
import { Change } from 'protocol'
import { z } from 'zod'
import { reads } from '../../gate/targets.ts'
import { changeTool } from './ports.ts'

/** Lists the changes that JARVIS made, newest first, with the call that takes each change back. */
export const listChanges = changeTool({
  name: 'list_changes',
  title: 'List changes',
  description: 'Lists what JARVIS changed, newest first, each with its id and what takes it back.',
  tier: 'green',
  touches: [{ kind: 'read', on: 'site' }],
  effects: (_input, world) => reads({}, world),
  isComposed: true,
  timeoutMs: 10_000,
  input: z.strictObject({
    target: z.string().max(100).optional().describe('Only of this thing, such as vm/101 or ct/104.'),
    limit: z.int().min(1).max(100).optional(),
  }),
  example: {},
  output: z.object({ changes: z.array(Change) }),
  async run({ target, limit = 20 }, { asker }, ports) {
    const changes = ports.list({ limit, target }, asker)
    const now = ports.now()
    const lines = changes.map(
      ({ id, sentence, at, state, undo, undoes }) =>
        `${id}, ${spanOf((now - at) / 1000)} ago, ${state}${undoes === undefined ? '' : `, it took back ${undoes}`}: ${sentence} ${undo.kind === 'none' ? 'No way back' : 'The way back'}: ${undo.sentence}`,
    )
    const summary = `${changes.length} ${changes.length === 1 ? 'change' : 'changes'}`
    return { text: [`${summary}.`, ...lines].join('\n'), summary, data: { changes } }
  },
})
