import type { createExecutor } from '../calls/execute.ts'
import type { Foundation } from './foundation.ts'
import type { ComposedPush } from './push.ts'

/** @returns a function that tells people of a call which the policy wants told: a line of activity, and a push message */
export function tellObserved(
  foundation: Pick<Foundation, 'announce'>,
  push: Pick<ComposedPush, 'tell'>,
): Parameters<typeof createExecutor>[0]['observed'] {
  return ({ toolUseId, sessionId, sentence }) => {
    foundation.announce('call')(sentence, 'info')
    void push.tell({
      title: 'A call that you watch runs',
      body: sentence,
      hidden: 'A call that you watch runs.',
      tag: `observed-${toolUseId}`,
      path: sessionId === '' ? '/journal' : `/chat/${sessionId}`,
    })
  }
}
