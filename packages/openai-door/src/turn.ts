import type { Attachment, Effort, ToolInput } from 'protocol'

/** The format in which the text of an answer must be. */
export type AnswerFormat =
  | { type: 'json_object' }
  | { type: 'json_schema'; name: string; schema: Record<string, unknown>; isStrict?: true }

/** The program's tool that the model must call: any of them, or the one with this name. */
export type ToolChoice = 'any' | { name: string }

/** A tool that the program runs itself. `inputSchema`: a JSON Schema of its arguments. */
export type OwnTool = { name: string; description: string; inputSchema: Record<string, unknown> }

/** A message of the conversation that a program sent along. */
export type Said =
  | { role: 'user'; text: string }
  | { role: 'assistant'; text: string; calls?: readonly { id: string; toolName: string; toolInput: ToolInput }[] }
  | { role: 'tool'; callId: string; text: string }

/**
 * A message of a program that asks for one answer. `text`: the person's last message. `wishes`: the program's instructions to the model. `before`,
 * `after`: messages that, according to the program, came before and after it. `mostTokens`: maximum tokens of each reply of the model.
 */
export type AskedTurn = {
  text: string
  wishes?: string
  before?: readonly Said[]
  after?: readonly Said[]
  tools?: readonly OwnTool[]
  toolChoice?: ToolChoice
  format?: AnswerFormat
  mostTokens?: number
  effort?: Effort
}

export type GivenFile = { name: string; data: Buffer }

/** `sent`: files of the last message. `earlier`: files of an earlier message, by the message's index in `before`. */
export type SentFiles = { sent: readonly GivenFile[]; earlier?: ReadonlyMap<number, readonly GivenFile[]> }

/** Checks a file as its receiver will. @returns its type @throws JarvisError `invalid_request`, `message_too_large` */
export type CheckFile = (file: GivenFile) => Pick<Attachment, 'mimeType'>
