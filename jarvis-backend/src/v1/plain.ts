import { asideOf } from '../agent/aside.ts'
import type { BudgetKeeper } from '../agent/budgets.ts'
import type { Message, Model, ModelChoice } from '../agent/model.ts'
import { type Content, type EntryOf, mainAgentId, type TurnStop, type Usage } from '../protocol/index.ts'

/** A conversation for a model alone. */
export type PlainRequest = {
  wishes: string | undefined
  messages: readonly { role: 'user' | 'assistant'; text: string }[]
  mostTokens?: number | undefined
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
    { wishes = '', messages, mostTokens }: PlainRequest,
    say: (delta: string) => void,
    signal: AbortSignal,
  ): Promise<{ text: string; stopReason: TurnStop; usage: Usage }> => {
    const model: Model = parts.models.current()
    const stream = parts.stream()
    const generate = asideOf(parts.budgets, 'plain', { agent: mainAgentId }, (used, ...given) =>
      used.generate(...given),
    )
    const turn = await generate(
      model,
      {
        system: parts.redact(wishes),
        messages: alternating(messages, parts.redact),
        tools: [],
        mayCallTools: false,
        ...(mostTokens !== undefined && { maxOutputTokens: mostTokens }),
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
  for (const { role, text } of said) {
    const safe = redact(text)
    const last = messages.at(-1)
    if (role === 'assistant') {
      if (last?.role !== 'user') continue
      messages.push({ role, content: [{ type: 'text', text: safe }] })
    } else if (last?.role === 'user') last.text = `${last.text}\n\n${safe}`
    else messages.push({ role, results: [], text: safe })
  }
  return messages
}
