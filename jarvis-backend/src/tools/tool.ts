import type { z } from 'zod'
import type { CallOptions } from '../homelab/ports.ts'
import type { ImageType, Target, Tier } from '../protocol/index.ts'

export type ToolImage = { mimeType: ImageType; data: Buffer }

export type ToolOutput = {
  /** What the model reads: compact, human units. */
  text: string
  /** One line for a person. */
  summary: string
  /** The same, structured, for the dashboard and MCP. */
  data?: Record<string, unknown>
  /** `text` names each of them, for models that take words alone. */
  images?: readonly ToolImage[]
  isError?: boolean
}

/**
 * `isForeign`: an MCP client asks, and what it hands over is not the operator's. `target`: what the call was judged about,
 * and its card showed.
 */
export type ToolContext = Required<CallOptions> & { isForeign?: boolean; target?: Target }

/** `hash`: of its definition. `inputSchema`: the server's own. `listed`: values that the schema names itself. */
export type Attached = {
  server: string
  hash: string
  inputSchema: Record<string, unknown>
  listed: ReadonlySet<string>
}

/** What can be done. Effects come in through the tool's factory; only `execute.ts` calls `run`. */
export type Tool<Input extends z.ZodObject = z.ZodObject> = {
  name: string
  /** For people: `Restart a virtual machine`. */
  title: string
  /** Written for a model: what it does, when to use it, what it returns. */
  description: string
  /** The base tier: rules may only raise it. */
  tier: Tier
  timeoutMs: number
  /** A strict object: an unknown key is refused, not stripped. Loose only where an attached tool's schema says so. */
  input: Input
  /** What `data` holds where the call did not fail; further keys may come. */
  output?: z.ZodObject
  /** Where it is a tool of an attached MCP server. */
  attached?: Attached
  run(input: z.output<Input>, context: ToolContext): Promise<ToolOutput>
}

/** Gives `run` its argument's type, and forgets it for the catalog: `execute` parses before it calls. */
export const defineTool = <Input extends z.ZodObject>(tool: Tool<Input>): Tool => tool as unknown as Tool
