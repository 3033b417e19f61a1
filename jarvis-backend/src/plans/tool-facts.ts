import { readAs, type Tier } from 'protocol'
import { faithful } from '../calls/faithful.ts'
import type { ToolFacts, Tools } from '../runbooks/procedure.ts'
import { type Catalog, inputSchemaOf, outputSchemaOf } from '../tools/catalog.ts'
import type { Tool } from '../tools/tool.ts'

/**
 * True for a tool that can be a step. A tool that starts a plan cannot: a plan shows all its calls on its own card. A tool that acts on a conversation
 * cannot, because a plan has none, and neither can a tool that waits long. A tool of an attached server cannot: reads run while the plan is made, also
 * for an MCP client, and JARVIS lends a client no way to other servers.
 */
const isStep = ({ startsPlan, asks, isOfChat, outlives, attached }: Tool) =>
  [startsPlan, asks, isOfChat, outlives, attached].every((mark) => mark === undefined)

/** The facts of the present tools for the parser of runbooks. @param tierOf a tool's usual tier by the policy in force */
export function toolFacts(catalog: Catalog, tierOf: (tool: Tool) => Tier): Tools {
  return {
    names: () =>
      catalog
        .list()
        .filter(isStep)
        .map(({ name }) => name),
    get(name): ToolFacts | undefined {
      const tool = catalog.get(name)
      if (tool === undefined || !isStep(tool)) return undefined
      const { properties = {}, required = [] } = inputSchemaOf(tool) as { properties?: object; required?: string[] }
      return {
        tier: tierOf(tool),
        isRead: tool.tier === 'green',
        takes: Object.keys(properties),
        requires: required,
        returns: outputSchemaOf(tool),
        problem(args) {
          const read = readAs(tool.input, faithful(tool.input, args))
          return read.ok ? undefined : read.problem
        },
      }
    },
  }
}
