import { createHash } from 'node:crypto'
import type { Content, ToolCall } from 'protocol'
import type { Message, ModelImage, ToolResult } from '../agent/model.ts'
import { wellFormed } from './well-formed.ts'

export type UserTurn = { role: 'user'; results: ToolResult[]; images: ModelImage[]; texts: string[] }
/** A turn of the model, as the agent loop stores it. */
type ModelTurn = Extract<Message, { role: 'assistant' }>
export type AssistantTurn = { role: 'assistant'; content: Content[] }

/**
 * The form of a call's id. `short`: nine letters and digits. `kimi`: `functions.NAME:INDEX`, because local servers of Kimi read the tool of a result
 * from its id.
 */
type CallIds = 'short' | 'kimi'

type ConversationForm = {
  /** True: the pictures that people attached are left out, and a text tells the model so. Default false. */
  isBlind?: boolean
  /** Default `short`. */
  ids?: CallIds
}

/**
 * Converts messages to turns that every provider accepts. The first turn is a person's. No text is blank and no turn is empty. No turn ends with
 * thinking. Two turns in a row never have the same role. The turn after a call holds its result. Lone surrogates are replaced.
 * @param keeps true if a turn's thinking, or the extra data of a call, is sent back to the model
 */
export function conversation(
  messages: readonly Message[],
  keeps: (content: Content, turn: ModelTurn) => boolean,
  { isBlind = false, ids = 'short' }: ConversationForm = {},
): (UserTurn | AssistantTurn)[] {
  const turns: (UserTurn | AssistantTurn)[] = []
  for (const message of messages) {
    const last = turns.at(-1)
    if (message.role === 'user') {
      const turn = userTurn(message, isBlind)
      if (last?.role === 'user') {
        last.results.push(...turn.results)
        last.images.push(...turn.images)
        last.texts.push(...turn.texts)
      } else if (turn.results.length + turn.images.length + turn.texts.length > 0) turns.push(turn)
      continue
    }
    const content = sendable(message.content, (piece) => keeps(piece, message))
    if (last?.role === 'assistant') last.content.push(...content)
    else if (content.length > 0) turns.push({ role: 'assistant', content })
  }
  return paired(turns, ids)
}

const begun = '[The conversation began before this.]'
const unanswered = 'Interrupted: what came of it is not known.'

/**
 * Gives each call and its result a new id. The default form is nine letters and digits, because Mistral's servers accept no other. The new id is
 * derived from the call's own id. It therefore stays the same when older turns are cut, and the caches of providers stay valid. The own ids are not
 * sent, because ids from programs may repeat or have any form; no provider requires the id that it gave. A result without a call becomes text.
 */
function paired(turns: readonly (UserTurn | AssistantTurn)[], ids: CallIds): (UserTurn | AssistantTurn)[] {
  const ordered: (UserTurn | AssistantTurn)[] = turns[0]?.role === 'assistant' ? [saying(begun)] : []
  let open: readonly { call: ToolCall; id: string }[] = []
  const used = new Set<string>()
  let calls = 0
  for (const turn of turns) {
    if (turn.role === 'user') {
      ordered.push(answering(open, turn))
      open = []
      continue
    }
    const content = turn.content.map((piece) => {
      if (piece.type !== 'tool_call') return piece
      const id = ids === 'kimi' ? `functions.${piece.toolName}:${calls}` : idOf(piece.toolUseId, used)
      calls += 1
      open = [...open, { call: piece, id }]
      return { ...piece, toolUseId: id }
    })
    ordered.push({ role: 'assistant', content })
  }
  if (open.length > 0) ordered.push(answering(open, saying()))
  return ordered
}

/** Maximum number of sent ids that are kept. Each turn of a run sends the calls of all its earlier turns again. */
const mostKept = 10_000
const kept = new Map<string, string>()

/** Returns the id that a request uses for a call. @param again number of earlier calls with the same own id */
export function sentId(own: string, again = 0): string {
  const key = `${own} ${again}`
  const known = kept.get(key)
  if (known !== undefined) return known
  if (kept.size >= mostKept) kept.clear()
  const id = createHash('sha256').update(key).digest('hex').slice(0, 9)
  kept.set(key, id)
  return id
}

/** Returns a sent id that is not in `used` yet, and adds it to `used`. */
function idOf(own: string, used: Set<string>): string {
  let again = 0
  while (used.has(sentId(own, again))) again += 1
  const id = sentId(own, again)
  used.add(id)
  return id
}

const saying = (...texts: string[]): UserTurn => ({ role: 'user', results: [], images: [], texts })

/** Adds to a user turn a result for each open call, in the order of the calls. */
function answering(open: readonly { call: ToolCall; id: string }[], turn: UserTurn): UserTurn {
  const left = [...turn.results]
  const results = open.map(({ call: { toolUseId, toolName }, id }): ToolResult => {
    const at = left.findIndex((result) => result.toolUseId === toolUseId)
    const [found = { text: unanswered, isError: true }] = at < 0 ? [] : left.splice(at, 1)
    return { ...found, toolUseId: id, toolName }
  })
  const stray = left.map(({ toolName, text }) => `[A result of ${toolName}] ${text}`)
  return { ...turn, results, texts: [...stray, ...turn.texts] }
}

/** Number of pictures in a request that people attached. */
export const picturesIn = (messages: readonly Message[]): number =>
  messages.reduce((sum, message) => sum + (message.role === 'user' ? (message.images?.length ?? 0) : 0), 0)

const unseen =
  '[You take no pictures, so those named here are not shown to you. Say so instead of guessing what they show.]'

function userTurn(
  { results, text, context = '', images = [] }: Extract<Message, { role: 'user' }>,
  isBlind: boolean,
): UserTurn {
  const hidden = isBlind && images.length > 0 ? [unseen] : []
  return {
    role: 'user',
    results: results.map((result) => ({
      ...result,
      text: isBlank(result.text) ? '(no output)' : result.text.toWellFormed(),
    })),
    images: isBlind ? [] : [...images],
    texts: [text.toWellFormed(), ...hidden, context.toWellFormed()].filter((part) => !isBlank(part)),
  }
}

function sendable(content: readonly Content[], keeps: (content: Content) => boolean): Content[] {
  const kept = content.flatMap((piece): Content[] => {
    if (piece.type === 'text') return isBlank(piece.text) ? [] : [{ type: 'text', text: piece.text.toWellFormed() }]
    if (piece.type !== 'tool_call') return keeps(piece) ? [piece] : []
    const { extra, ...call } = piece
    const toolInput = wellFormed(call.toolInput) as Record<string, unknown>
    const kept = extra !== undefined && keeps(piece) ? { extra } : {}
    return [{ ...call, toolName: sendableName(call.toolName), toolInput, ...kept }]
  })
  const end = kept.findLastIndex((piece) => piece.type === 'text' || piece.type === 'tool_call')
  return kept.slice(0, end + 1)
}

/** A tool name that a model invented may have characters that providers refuse. */
const sendableName = (name: string) => name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'unnamed'

const isBlank = (text: string) => !/\S/.test(text)
