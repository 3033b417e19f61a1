import type { Notice } from '../channels/channels.ts'
import type { Change, Question } from '../protocol/index.ts'
import type { ComposedChannels } from './channels.ts'

/** A change that goes back at `goesBackAt`, Unix ms. */
export type GoingBack = Pick<Change, 'id'> & { goesBackAt: number }

/** The words that leave over channels. Sentences of other kinds may hold arguments, addresses, and what a person or a model wrote. */
const leavingWords = (kind: Notice['kind'], { body, hidden }: Pick<Notice, 'body' | 'hidden'>) =>
  kind === 'alert' || kind === 'job' ? body : hidden

/** Tells people over their channels. No method throws. */
export const tellEverywhere = (channels: Pick<ComposedChannels, 'tell' | 'settle'>) => {
  const tell = ({ kind, ...notice }: Notice, person?: string) =>
    channels.tell({ ...notice, kind, body: leavingWords(kind, notice) }, person)
  return {
    asking(questions: readonly Question[]) {
      for (const { questionId, requestedBy, expiresAt } of questions) {
        const body = 'A question waits for you. An answer allows nothing.'
        channels.tell({
          ...({ kind: 'question', level: 'warning', title: 'A question for you', body, hidden: body } as const),
          ...{ tag: `question-${questionId}`, path: `/waiting?question=${encodeURIComponent(questionId)}` },
          ...{ asker: requestedBy.person, until: { kind: 'question', id: questionId }, expiresAt },
        })
      }
      channels.settle()
    },
    goingBack(changes: readonly GoingBack[]) {
      for (const { id, goesBackAt } of changes) {
        const body = 'A change goes back within two minutes unless you keep it.'
        channels.tell({
          ...({
            kind: 'change',
            level: 'failed',
            title: 'JARVIS takes a change back soon',
            body,
            hidden: body,
          } as const),
          ...{ tag: `goes-back-${id}`, path: '/waiting' },
          ...{ until: { kind: 'change', id }, expiresAt: goesBackAt },
        })
      }
      channels.settle()
    },
    /** @returns each channel, and why it was not handed the message at once */
    tell: (notice: Notice) => tell(notice),
    /** Tells one person, whatever their role. */
    tellPerson: (person: string, notice: Notice) => void tell(notice, person),
  }
}

export type Tellers = ReturnType<typeof tellEverywhere>
