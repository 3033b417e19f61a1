import type { Notice } from '../channels/channels.ts'
import type { Card, Question } from '../protocol/index.ts'
import type { GoingBack } from '../push/push.ts'
import type { ComposedChannels } from './channels.ts'
import type { ComposedPush } from './push.ts'

/** The words that leave over channels. Sentences of other kinds may hold arguments, addresses, and what a person wrote. */
const leavingWords = (kind: Notice['kind'], { body, hidden }: Pick<Notice, 'body' | 'hidden'>) =>
  kind === 'alert' || kind === 'job' ? body : hidden

/** Tells people in their browsers and over their channels. */
export const tellEverywhere = (
  push: Pick<ComposedPush, 'tell' | 'tellPerson' | 'waiting' | 'asking' | 'goingBack'>,
  channels: Pick<ComposedChannels, 'tell' | 'waiting'>,
) => ({
  waiting(sessionId: string, cards: Card[]) {
    push.waiting(sessionId, cards)
    channels.waiting(cards)
  },
  asking(sessionId: string, questions: Question[]) {
    push.asking(sessionId, questions)
    for (const { questionId } of questions) {
      const body = 'A question waits for you. An answer allows nothing.'
      channels.tell({
        ...({ kind: 'question', level: 'warning', title: 'A question for you', body, hidden: body } as const),
        ...{ tag: `question-${questionId}`, path: `/waiting?question=${encodeURIComponent(questionId)}` },
      })
    }
  },
  goingBack(changes: readonly GoingBack[]) {
    push.goingBack(changes)
    for (const { id } of changes) {
      const body = 'A change goes back within two minutes unless you keep it.'
      channels.tell({
        ...({ kind: 'change', level: 'failed', title: 'JARVIS takes a change back soon', body, hidden: body } as const),
        ...{ tag: `goes-back-${id}`, path: '/waiting' },
      })
    }
  },
  /** Never rejects. @returns each device and channel, and why it was not reached; a channel was handed the message */
  async tell({ kind, level, ...message }: Notice): Promise<{ label: string; problem?: string }[]> {
    const handed = channels.tell({ ...message, body: leavingWords(kind, message), kind, level })
    // A result that went well waits for nobody, so it reaches browsers as a line of activity alone.
    return level === 'info' && kind === 'job' ? handed : [...(await push.tell(message)), ...handed]
  },
  /** Tells one person, whatever their role. Never throws. */
  tellPerson(person: string, { kind, level, ...message }: Notice): void {
    void push.tellPerson(person, message)
    channels.tell({ ...message, body: leavingWords(kind, message), kind, level }, person)
  },
})

export type Tellers = ReturnType<typeof tellEverywhere>
