import type { FactTypes } from '../house.ts'
import type { StepParts } from './steps/parts.ts'

/** Makes a function that announces a running call if the policy wants that: with one activity line and one notice. */
export const tellObserved =
  (parts: {
    announce(text: string, level: 'info'): void
    notice(due: FactTypes['notice.due']): void
  }): StepParts['observed'] =>
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
