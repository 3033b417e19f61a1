import { asideOf } from '../agent/aside.ts'
import { attachmentWords, fileOf, type GivenFile, requireSight } from '../agent/attachments.ts'
import type { BudgetKeeper } from '../agent/budgets.ts'
import type { AnswerFormat, Message, Model, ModelChoice } from '../agent/model.ts'
import { formatWords } from '../agent/program.ts'
import { type Content, type EntryOf, mainAgentId, type TurnStop, type Usage } from '../protocol/index.ts'

/** A conversation for a model alone. */
export type PlainRequest = {
  wishes: string | undefined
  messages: readonly { role: 'user' | 'assistant'; text: string; files?: readonly GivenFile[] }[]
  mostTokens?: number | undefined
  format?: AnswerFormat | undefined
}

/** @returns a function that asks the model in use without tools, agent or session, within the day's limits. @throws ModelError */
export function createPlain(parts: {
  models: Pick<ModelChoice, 'current'>
  budgets: Pick<BudgetKeeper, 'aside'>
  used(turn: Pick<EntryOf<'assistant'>, 'model' | 'usage' | 'isUsagePartial'>): void
  redact(text: string): string
  stream(): { push(delta: string): string; flush(): string }
}) {
  return async (
    { wishes = '', messages, mostTokens, format }: PlainRequest,
    say: (delta: string) => void,
    signal: AbortSignal,
  ): Promise<{ text: string; stopReason: TurnStop; usage: Usage }> => {
    const model: Model = parts.models.current()
    requireSight(
      model,
      messages.flatMap(({ files = [] }) => files.map((file) => fileOf(file, parts.redact).attachment)),
    )
    const stream = parts.stream()
    const generate = asideOf(parts.budgets, 'plain', { agent: mainAgentId }, (used, ...given) =>
      used.generate(...given),
    )
    const turn = await generate(
      model,
      {
        system: parts.redact(format === undefined ? wishes : `${wishes}\n\n${formatWords}`.trimStart()),
        messages: alternating(messages, parts.redact),
        tools: [],
        mayCallTools: false,
        ...(mostTokens !== undefined && { maxOutputTokens: mostTokens }),
        ...(format !== undefined && { format }),
      },
      {
        text(delta) {
          const shown = stream.push(delta)
          if (shown !== '') say(shown)
        },
        thinking() {},
      },
      signal,
    )
    const rest = stream.flush()
    if (rest !== '') say(rest)
    const { usage, isUsagePartial, stopReason } = turn
    parts.used({ model: model.id, usage, ...(isUsagePartial && { isUsagePartial }) })
    return { text: parts.redact(wordsIn(turn.content)), stopReason, usage }
  }
}

const wordsIn = (content: readonly Content[]) =>
  content.flatMap((item) => (item.type === 'text' ? item.text : [])).join('')

/** Providers want a user first and each role in turn. */
function alternating(said: PlainRequest['messages'], redact: (text: string) => string): Message[] {
  const messages: Message[] = []
  for (const { role, text, files = [] } of said) {
    const kept = files.map((file) => fileOf(file, redact))
    const pictures = kept.flatMap(({ attachment: { mimeType }, data }) =>
      mimeType === 'text/plain' ? [] : { mimeType, data },
    )
    const words = kept.map(({ attachment, data }) => attachmentWords(attachment, data.toString(), false))
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
