import type { Missing } from 'protocol'
import type { Tool } from '../../tools/tool.ts'

/** Makes tools refuse their calls, with the remedy, while the machine lacks something. */
export const lacking = (tools: readonly Tool[], missing: () => readonly Missing[]): Tool[] =>
  tools.map((tool) => ({
    ...tool,
    effects(input, world) {
      const effects = tool.effects(input, world)
      const [first] = missing()
      if (first === undefined) return effects
      const because = `${first.what} is missing: ${first.remedy.replace(/\.$/, '')}.`
      return effects.map((effect) => ({ ...effect, atLeast: { tier: 'black', because, isAlways: true } }))
    },
  }))
