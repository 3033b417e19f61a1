import { Answer, type Asking, QuestionEnd, type QuestionItem } from 'protocol'
import { secretAskedFor } from 'redaction/asks-for-secret'
import { z } from 'zod'
import { Mistake } from '../../gate/effect.ts'
import { reads } from '../../gate/targets.ts'
import { defineTool } from '../tool.ts'
import { endLine, endWords } from './end-words.ts'

const line = (most: number) => z.string().regex(/\S/, 'is empty').max(most)
const Asked = z.strictObject({
  question: line(500),
  options: z
    .array(z.strictObject({ label: line(120), note: line(200).optional() }))
    .min(2)
    .max(4)
    .optional(),
  several: z.boolean().optional(),
})

/** Asks the person at the chat for facts that the cluster cannot tell. An answer permits nothing. */
export const askOperator = defineTool({
  name: 'ask_operator',
  title: 'Ask the operator',
  description:
    'Asks the operator what no tool tells: a choice or a plan of theirs. Never for approval, never for secrets. An answer approves nothing.',
  tier: 'green',
  shows: 'conversation',
  touches: [{ kind: 'read', on: 'site' }],
  effects: (_input, world) => reads({}, world),
  asks: true,
  // The time during which a question is open does not count.
  timeoutMs: 60_000,
  input: z.strictObject({ questions: z.array(Asked).min(1).max(3) }),
  example: { questions: [{ question: 'Which one?' }] },
  output: z.object({ end: QuestionEnd, answers: z.array(Answer).optional(), said: z.string().optional() }),
  async run({ questions }, { ask }) {
    if (ask === undefined)
      throw new Mistake('Nobody is here to be asked. Decide what is safe without an answer, and say what is open.')
    const asking: Asking = { items: questions.map(itemOf) }
    const ended = await ask(asking)
    const { end, answers, said } = ended
    return {
      text: endWords(asking, ended),
      summary: endLine(asking, ended),
      data: { end, ...(answers && { answers }), ...(said !== undefined && { said }) },
    }
  },
})

function itemOf({ question, options = [], several }: z.infer<typeof Asked>, place: number): QuestionItem {
  const at = `questions[${place}]`
  const secret = options.length === 0 ? secretAskedFor(question) : undefined
  if (secret !== undefined)
    throw new Mistake(
      `${at}.question: it asks for a secret ("${secret}"). Secrets are set in Settings, never in a chat.`,
    )
  const labels = new Set(options.map(({ label }) => label.normalize('NFKC').trim().toLowerCase()))
  if (labels.size < options.length) throw new Mistake(`${at}.options: two labels are the same.`)
  return {
    text: question,
    options: options.map(({ label, note }) => ({ label, note })),
    typed: 'text',
    ...(several && options.length > 0 && { isMultiple: true }),
  }
}
