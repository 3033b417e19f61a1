import { z } from 'zod'
import { dayAndTime, readsSessions, sessionTool } from './session-tool.ts'

/** Maximum number of conversations in a list. The tool's argument `words` can narrow the list. */
const limit = 20

export const listSessions = sessionTool({
  name: 'list_sessions',
  title: 'List conversations',
  description: 'Lists earlier conversations, newest first.',
  ...readsSessions,
  input: z.strictObject({
    words: z.string().optional(),
  }),
  example: {},
  output: z.object({
    sessions: z.array(
      z.object({
        id: z.string(),
        title: z.string(),
        agent: z.string(),
        updatedAt: z.number(),
        messages: z.int(),
        preview: z.string(),
      }),
    ),
  }),
  async run({ words = '' }, { asker }, { listSessions: list }) {
    const sessions = list({ ...(words.trim() !== '' && { words: words.slice(0, 200) }), limit }, asker)
    const lines = sessions.map(
      ({ id, title, updatedAt, messages, preview }) =>
        `${id}, ${dayAndTime(updatedAt)}, ${messages} messages: ${title}${preview === '' ? '' : `\n  ${preview}`}`,
    )
    return {
      text: lines.length === 0 ? 'No conversation is like that.' : lines.join('\n'),
      summary: `${sessions.length} conversations`,
      data: { sessions },
    }
  },
})
