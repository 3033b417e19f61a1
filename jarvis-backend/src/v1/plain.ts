import { inTurns, type Steps } from 'node-kit/steps'
import { type Content, type EntryOf, mainAgentId, type TurnStop, type Usage } from 'protocol'
import { asideOf } from '../agent/aside.ts'
import { attachmentWords, fileOf, type GivenFile, requireSight } from '../agent/attachments.ts'
import type { BudgetKeeper } from '../agent/budgets.ts'
import {
  type AnswerFormat,
  type Message,
  type Model,
  type ModelChoice,
  ModelError,
  type ModelRequest,
  type ModelSink,
  type Turn,
} from '../agent/model.ts'
import { formatWords } from '../agent/program.ts'
import { sum } from '../agent/retry.ts'

/** A conversation with the plain model. `wishes`: its instructions. */
export type PlainRequest = {
  wishes: string | undefined
  messages: readonly { role: 'user' | 'assistant'; text: string; files?: readonly GivenFile[] }[]
  mostTokens?: number | undefined
  format?: AnswerFormat | undefined
}

/** Asks the model in use without tools, agent or session, within the day's limits. @throws ModelError */
export type Plain = (
  request: PlainRequest,
  say: (delta: string) => void,
  signal: AbortSignal,
) => Promise<{ text: string; stopReason: TurnStop; usage: Usage }>

export function createPlain(parts: {
  models: Pick<ModelChoice, 'current'>
  budgets: Pick<BudgetKeeper, 'aside'>
  used(turn: Pick<EntryOf<'assistant'>, 'model' | 'usage' | 'isUsagePartial'>): void
  redact(text: string): string
  stream(): { push(delta: string): string; flush(): string }
}): Plain {
  return async ({ wishes = '', messages, mostTokens, format }, say, signal) => {
    const model: Model = parts.models.current()
    requireSight(
      model,
      messages.flatMap(({ files = [] }) => files.map((file) => fileOf(file, parts.redact).attachment)),
    )
    const stream = parts.stream()
    const generate = asideOf(
      parts.budgets,
      { kind: 'plain', spender: { agent: mainAgentId } },
      (used, { request, sink, signal }) => used.generate(request, sink, signal),
    )
    const request: ModelRequest = {
      system: parts.redact(format === undefined ? wishes : `${wishes}\n\n${formatWords}`.trimStart()),
      messages: await inTurns(alternating(messages, parts.redact), turnMs),
      tools: [],
      mayCallTools: false,
      isFinal: true,
      maxOutputTokens: mostTokens,
      format,
    }
    const sink: ModelSink = {
      text(delta) {
        const shown = stream.push(delta)
        if (shown !== '') say(shown)
      },
      thinking() {},
    }
    const ask = async (): Promise<Turn> => {
      const turn = await generate(model, { request, sink, signal })
      const { usage, isUsagePartial } = turn
      parts.used({ model: model.id, usage, ...(isUsagePartial && { isUsagePartial }) })
      return turn
    }
    const first = await ask()
    const turn = isMute(first) ? await ask() : first
    if (isMute(turn))
      throw new ModelError(
        'model_mute',
        `${model.id} ended its reply without a word, twice. Ask again, or choose another model.`,
        { isRetryable: false },
      )
    const rest = stream.flush()
    if (rest !== '') say(rest)
    const usage = turn === first ? turn.usage : sum(first.usage, turn.usage)
    return { text: parts.redact(wordsIn(turn.content)), stopReason: turn.stopReason, usage }
  }
}

const isMute = ({ content, stopReason }: Turn) => stopReason === 'end_turn' && wordsIn(content).trim() === ''

const wordsIn = (content: readonly Content[]) =>
  content.flatMap((item) => (item.type === 'text' ? item.text : [])).join('')

/** Maximum time for which preparing a program's messages blocks other work, ms. */
const turnMs = 10

/**
 * Converts messages so that a user's message comes first and the roles alternate, as providers require. Yields before each message, because a
 * program may send thousands.
 */
function* alternating(said: PlainRequest['messages'], redact: (text: string) => string): Steps<Message[]> {
  const messages: Message[] = []
  for (const { role, text, files = [] } of said) {
    yield undefined
    const kept = files.map((file) => fileOf(file, redact))
    const pictures = kept.flatMap(({ attachment: { mimeType }, data }) =>
      mimeType === 'text/plain' ? [] : { mimeType, data },
    )
    const words = kept.map(({ attachment, data }) => attachmentWords(attachment, data.toString(), { isAway: false }))
    const safe = [...words, redact(text)].join('\n\n')
    const last = messages.at(-1)
    if (role === 'assistant') {
      if (last?.role !== 'user') continue
      messages.push({ role, content: [{ type: 'text', text: safe }] })
    } else if (last?.role === 'user') {
      last.text = `${last.text}\n\n${safe}`
      if (pictures.length > 0) last.images = [...(last.images ?? []), ...pictures]
    } else messages.push({ role, results: [], text: safe, ...(pictures.length > 0 && { images: pictures }) })
  }
  return messages
}
