import { readAs, type Tier } from 'protocol'
import { faithful } from '../calls/faithful.ts'
import type { ToolFacts, Tools } from '../runbooks/procedure.ts'
import { type Catalog, inputSchemaOf, outputSchemaOf } from '../tools/catalog.ts'
import type { Tool } from '../tools/tool.ts'

/**
 * True for a tool that can be a step of a plan. Excluded are: a tool that starts a plan, because a plan shows all its calls on its own card; a tool
 * that acts on a conversation, because a plan has none; a tool that waits long; a tool of an attached server, because an MCP client that proposes a
 * plan must not reach other servers through JARVIS.
 */
const isStep = ({ startsPlan, asks, isOfChat, outlives, attached }: Tool) =>
  [startsPlan, asks, isOfChat, outlives, attached].every((mark) => mark === undefined)

/** Returns the facts about the existing tools for the parser of runbooks. @param tierOf returns a tool’s usual tier by the policy in use */
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
