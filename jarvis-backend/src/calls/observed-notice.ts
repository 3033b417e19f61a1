import type { FactTypes } from '../house.ts'
import type { createExecutor } from './execute.ts'

/** @returns a function that tells people of a call which the policy wants told: one line of activity and one notice */
export const tellObserved =
  (parts: {
    announce(text: string, level: 'info'): void
    notice(due: FactTypes['notice.due']): void
  }): Parameters<typeof createExecutor>[0]['observed'] =>
  ({ toolUseId, sessionId, sentence }) => {
    parts.announce(sentence, 'info')
    parts.notice({
      notice: {
        kind: 'observed',
        level: 'info',
        title: 'A call that you watch runs',
        body: sentence,
        hidden: 'A call that you watch runs.',
        tag: `observed-${toolUseId}`,
        path: sessionId === '' ? '/journal' : `/chat/${sessionId}`,
      },
    })
  }
