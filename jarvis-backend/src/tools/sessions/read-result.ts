import { z } from 'zod'
import { reads } from '../../gate/targets.ts'
import { sessionTool } from './session-tool.ts'

export const readResult = sessionTool({
  name: 'read_result',
  title: 'Read a result again',
  description: 'Reads on in a result of this conversation that was cut or put away.',
  tier: 'green',
  shows: 'conversation',
  touches: [{ kind: 'read', on: 'site' }],
  effects: (_input, world) => reads({}, world),
  rereads: ({ id }) => id,
  timeoutMs: 10_000,
  input: z.strictObject({ id: z.string().min(1).max(100), offset: z.int().min(0).optional() }),
  example: { id: 'none' },
  output: z.object({
    id: z.string(),
    toolName: z.string(),
    offset: z.int().describe('In characters, from 0.'),
    total: z.int(),
    next: z.int().optional().describe('Offset of what follows; absent at the end.'),
  }),
  async run({ id, offset = 0 }, { sessionId, isForeign, hasModel }, ports) {
    if ((isForeign === true && hasModel !== true) || sessionId === undefined)
      return refused('Results are cut for the model of a chat alone: whoever else asks was given them whole.')
    const page = ports.readResult(sessionId, id, offset)
    if (page === undefined) return refused(`This conversation has no result of a call ${JSON.stringify(id)}.`)
    const { toolName, text, total, next } = page
    if (text === '')
      return refused(`offset: the result of ${toolName} has ${total} characters, so nothing stands at ${offset}.`)
    const from = `${toolName}, characters ${offset} to ${offset + text.length} of ${total}`
    const more = next === undefined ? 'That is its end.' : `Offset ${next} reads on.`
    return {
      text: `[${from}. ${more}]\n${text}`,
      summary: from,
      data: { id, toolName, offset, total, ...(next !== undefined && { next }) },
    }
  },
})

const refused = (text: string) => ({ text, summary: text, isError: true })
