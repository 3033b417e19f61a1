import { TodoItem } from 'protocol'
import { z } from 'zod'
import { Mistake } from '../../gate/index.ts'
import { reads } from '../../gate/targets.ts'
import { planTool } from './plan-tool.ts'

const most = { items: 30, characters: 200 }
const item = TodoItem.extend({ text: z.string().min(1).max(most.characters) }).strict()

export const updatePlan = planTool({
  name: 'update_plan',
  title: 'Keep a list of what to do',
  description: 'Replaces your list of what you are about to do, shown beside the chat. It runs nothing.',
  tier: 'green',
  shows: 'conversation',
  touches: [{ kind: 'read', on: 'site' }],
  effects: (_input, world) => reads({}, world),
  isOfChat: true,
  timeoutMs: 10_000,
  input: z.strictObject({ items: z.array(item).max(most.items) }),
  example: { items: [{ text: 'Look.', state: 'open' }] },
  output: z.object({ items: z.array(TodoItem) }),
  async run({ items }) {
    const doing = items.filter(({ state }) => state === 'doing').length
    if (doing > 1) throw new Mistake(`items: ${doing} are doing. At most one item is done at a time.`)
    const done = items.filter(({ state }) => state === 'done').length
    const summary = `${done} of ${items.length} done`
    return { text: `Kept: ${summary}.`, summary, data: { items }, todo: items }
  },
})
