import type { createExecutor } from '../calls/execute.ts'
import type { Foundation } from './foundation.ts'
import type { Tellers } from './tellers.ts'

/** @returns a function that tells people of a call which the policy wants told: a line of activity, and a message */
export function tellObserved(
  foundation: Pick<Foundation, 'announce'>,
  tellers: Pick<Tellers, 'tell'>,
): Parameters<typeof createExecutor>[0]['observed'] {
  return ({ toolUseId, sessionId, sentence }) => {
    foundation.announce('call')(sentence, 'info')
    void tellers.tell({
      ...({ kind: 'observed', level: 'info' } as const),
      title: 'A call that you watch runs',
      body: sentence,
      hidden: 'A call that you watch runs.',
      tag: `observed-${toolUseId}`,
      path: sessionId === '' ? '/journal' : `/chat/${sessionId}`,
    })
  }
}
