import { wireEntry } from '../agent/sessions/wire-entry.ts'
import { chosenFor } from '../agents/bindings.ts'
import type { House } from '../channels/talk/ports.ts'
import type { Config } from '../config/config.ts'
import { clusterSummary } from '../homelab/summary.ts'
import { JarvisError, mainAgentId } from '../protocol/index.ts'
import type { ComposedAgents } from './agents.ts'
import type { ComposedBudgets } from './budgets.ts'
import type { Foundation } from './foundation.ts'
import type { Gate } from './gate.ts'
import type { ComposedHomelab } from './homelab.ts'
import type { ComposedRuns } from './runs.ts'

const questionsForMs = 2 * 24 * 60 * 60_000

/** What turns speech into text; undefined where no server is set. @throws Error in words, without secrets */
export function transcribing(
  foundation: Pick<Foundation, 'redactor'>,
  server: Config['transcriptions'],
  budgets: () => Pick<ComposedBudgets, 'keeper'>,
): House['transcribe'] {
  if (server === undefined) return undefined
  return async (audio, name, signal) => {
    const why = budgets().keeper.usedUp({ agent: mainAgentId })
    if (why !== undefined) throw new JarvisError('too_many_requests', why)
    const { transcribe } = await import('../v1/transcribe.ts')
    try {
      return await foundation.redactor.later(await transcribe(server, audio, name, signal))
    } catch (error) {
      throw new Error(foundation.redactor.text(error instanceof Error ? error.message : 'the service failed'))
    }
  }
}

/** What conversations on channels need of the house. @param parts made later than the channels */
export function composeHouse(
  foundation: Pick<Foundation, 'redactor' | 'now'>,
  transcribe: House['transcribe'],
  parts: () => {
    sessions: Pick<ComposedRuns, 'runs' | 'store' | 'attachments' | 'picture'>
    agents: ComposedAgents['agents']
    gate: Pick<Gate, 'confirmations' | 'questions' | 'sightOf'>
    homelab: Pick<ComposedHomelab, 'cluster'>
    alerts: Parameters<typeof clusterSummary>[1]
  },
): House {
  const wire = (entry: Parameters<typeof wireEntry>[0]) => wireEntry(entry, foundation.redactor)
  const store = () => parts().sessions.store
  return {
    start: (said) => parts().sessions.runs.start(said),
    upload: async (by, file) => (await parts().sessions.attachments.upload(by, file)).id,
    abort: (sessionId, by) => parts().sessions.runs.abort(sessionId, by),
    held(sessionId, by) {
      const { runs } = parts().sessions
      const messages = runs.queued(sessionId).filter((message) => message.heldBy !== undefined && message.by === by)
      return messages.map(({ messageId, text }) => ({
        text,
        send: () => runs.sendHeld(sessionId, messageId, by),
        drop: () => runs.unqueue(sessionId, messageId),
      }))
    },
    agentFor: (arrival) => chosenFor(parts().agents.list(), { door: 'channel', ...arrival })[0].agent,
    hasAgent: (id) => parts().agents.find(id) !== undefined,
    session(id) {
      const found = store().session(id)
      return found && { title: found.title, agent: found.agent, isRunning: parts().sessions.runs.isRunning(id) }
    },
    // To have sent a card is not to have shown it: its time begins at a screen, or at a tap.
    watch: (sessionId, tell) => parts().sessions.runs.watch(sessionId, { isOperator: false, tell }).end,
    entriesFrom: (sessionId, from, limit) => store().entriesFrom(sessionId, from, limit).map(wire),
    entry(sessionId, seq) {
      const found = store().entry(sessionId, seq)
      return found && wire(found)
    },
    entriesOfRun: (runId) => store().entriesOfRun(runId).map(wire),
    picture: (sessionId, id) => parts().sessions.picture(sessionId, id),
    waiting: () => parts().gate.confirmations.pending(),
    questions: (sessionId) => parts().gate.questions.open(sessionId),
    question(questionId) {
      const found = parts()
        .gate.questions.list(foundation.now() - questionsForMs)
        .find((one) => one.questionId === questionId)
      return found && { question: found, sessionId: found.sessionId, isOpen: found.end === undefined }
    },
    answer: ({ remember, ...request }) =>
      parts().gate.questions.answer({ ...request, once: { isAnswered: () => false, remember } }),
    status(person) {
      const { homelab, gate, alerts } = parts()
      const sees = gate.sightOf({ person })
      const state = homelab.cluster.state()
      return sees === undefined ? clusterSummary(state, alerts) : clusterSummary(sees(state), [])
    },
    transcribe,
  }
}
