import { JarvisError, mainAgentId } from 'protocol'
import type { ComposedBudgets } from '../budgets/room.ts'
import type { TalkPorts } from '../channels/talk/ports.ts'
import type { Config } from '../config/config.ts'
import type { Foundation } from '../foundation.ts'

/** @returns a function that turns speech into text; undefined if no server is set. It throws an Error in words, without secrets. */
export function transcribing(
  foundation: Pick<Foundation, 'redactor'>,
  server: Config['transcriptions'],
  budgets: Pick<ComposedBudgets, 'keeper'>,
): TalkPorts['transcribe'] {
  if (server === undefined) return undefined
  return async (audio, name, signal) => {
    const why = budgets.keeper.usedUp({ agent: mainAgentId })
    if (why !== undefined) throw new JarvisError('too_many_requests', why)
    const { transcribe } = await import('../v1/transcribe.ts')
    try {
      return await foundation.redactor.later(await transcribe(server, audio, name, signal))
    } catch (error) {
      throw new Error(foundation.redactor.text(error instanceof Error ? error.message : 'the service failed'))
    }
  }
}
