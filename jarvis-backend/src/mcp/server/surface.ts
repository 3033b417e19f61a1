import type { CallToolResult, GetPromptResult, InputRequiredResult, ServerContext } from '@modelcontextprotocol/server'
import type { ToolInput } from 'protocol'
import type { CallOutcome } from '../../agent/calls.ts'
import type { ApiToken } from '../../auth/api-tokens.ts'

type Contents = { uri: string; mimeType: string } & ({ text: string } | { blob: string })

/** The beginning of a value that a client's user types, for a variable of a template or an argument of a prompt. */
export type Completing = { variable: string; begun: string; token: ApiToken }

/** Content that clients read by URI, limited to what the token's person may see. */
export type Resources = {
  list(token: ApiToken): { uri: string; name: string; title: string; description: string; mimeType: string }[]
  templates: readonly { uriTemplate: string; name: string; title: string; description: string; mimeType: string }[]
  /** @returns undefined for an unknown URI */
  read(uri: string, token: ApiToken): Promise<Contents | undefined>
  /** Returns completions for a variable of a template. */
  complete(uriTemplate: string, asked: Completing): string[]
  /** True if the client may be notified that the content of a URI changed. Absent: it may be notified for every URI. */
  mayHear?(uri: string, token: ApiToken): boolean
}

export type PromptArgument = { name: string; description: string; required: boolean }
/** A job that a client offers to its user. */
export type Prompt = {
  name: string
  title: string
  description: string
  arguments: readonly PromptArgument[]
  get(
    values: Record<string, string>,
    context: ServerContext,
    token: ApiToken,
  ): Promise<GetPromptResult | InputRequiredResult>
  complete(asked: Completing): string[]
}

/** The resources, prompts and completions that clients see. */
export type Surface = {
  /** Calls `listener` after each change of the catalog. @returns a function that stops it */
  watchTools?(listener: () => void): () => void
  resources: Resources
  prompts: readonly Prompt[]
  /** Functions by tool name. Each builds the result of a call that ran, for tools whose result is more than text and data. */
  answers?: Readonly<
    Record<
      string,
      (outcome: CallOutcome, context: ServerContext, input: ToolInput) => Promise<CallToolResult | InputRequiredResult>
    >
  >
}
