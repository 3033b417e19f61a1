import { LiveQuestion } from '../../app/live-question.tsx'
import type { Asked } from '../../features/chat/runs.ts'
import { Step } from '../../features/chat/step.tsx'
import { Mark } from '../../ui/mark.tsx'

/** A call's questions in the chat, open or ended. */
export function ChatQuestions({ asked, sessionId }: { asked: readonly Asked[]; sessionId: string }) {
  return asked.map(({ question, ended }) => (
    <Step
      key={question.questionId}
      mark={<Mark kind="question" size={ended === undefined ? 16 : 14} />}
      top={ended === undefined ? 18 : 12}
    >
      <LiveQuestion question={question} sessionId={sessionId} ended={ended} isInChat />
    </Step>
  ))
}
