import type { RequestListener } from 'node:http'
import { JarvisError, mainAgentId } from 'protocol'
import type { ComposedRuns } from '../agent/room.ts'
import type { ProgramFiles } from '../agent/run/start-program.ts'
import { wireEntry } from '../agent/sessions/wire-entry.ts'
import type { Agents } from '../agents/agent.ts'
import type { Bearer } from '../auth/bearer.ts'
import type { OpenRequests } from '../auth/open-requests.ts'
import type { RequestGuard } from '../auth/request-guard.ts'
import type { ComposedBudgets } from '../budgets/room.ts'
import type { Config } from '../config/config.ts'
import type { Foundation } from '../foundation.ts'
import { createStreamRedactor } from '../gate/index.ts'
import { defineRoom } from '../house.ts'
import { onFirstUse } from '../http/on-first-use.ts'
import type { ComposedMemory } from '../memory/room.ts'
import type { ComposedModels } from '../providers/choice/models.ts'
import { SqliteAskedStore } from '../store/sqlite/asked.ts'
import type { ProgramFilesPort } from './files.ts'
import type { Named } from './models.ts'

type Needs = {
  foundation: Pick<Foundation, 'clock' | 'database' | 'isStopping' | 'now' | 'redactor' | 'report' | 'stopping'>
  config: Pick<Config, 'v1HoldMs' | 'embeddings' | 'transcriptions'>
  agents: Agents
  sessions: Pick<ComposedRuns, 'attachments' | 'runs' | 'store'>
  models: Pick<ComposedModels, 'choice' | 'used' | 'requireForProgram'>
  memory: Pick<ComposedMemory, 'embed'>
  budgets: Pick<ComposedBudgets, 'keeper'>
  files: ProgramFilesPort
  guard: RequestGuard
  bearer: Bearer
  requests: OpenRequests
}

/** `/v1`, the door of programs that speak OpenAI's API. Its code is loaded by the first request. */
export const v1Room = defineRoom({
  name: 'v1',
  open(needs: Needs): { v1: RequestListener } {
    const startedAt = needs.foundation.now()
    return { v1: onFirstUse(() => loadDoor(needs, startedAt), needs.foundation.report) }
  },
})

/** @param startedAt when JARVIS started, Unix ms */
async function loadDoor(needs: Needs, startedAt: number): Promise<RequestListener> {
  const [
    { createChatCompletions },
    { createEmbeddings },
    { ProgramFilesDoor },
    { Responses },
    { createV1Routes },
    { createTranscriptions },
  ] = await Promise.all([
    import('./chat/handle.ts'),
    import('./embeddings.ts'),
    import('./files.ts'),
    import('./responses/handle.ts'),
    import('./routes.ts'),
    import('./transcriptions.ts'),
  ])
  const { sessions, budgets, memory } = needs
  const { redactor, report } = needs.foundation
  const answering = await loadAnswering(needs)
  const { embeddings, transcriptions } = needs.config
  /** @throws JarvisError `too_many_requests` if a budget is used up */
  const requireBudget = () => {
    const why = budgets.keeper.usedUp({ agent: mainAgentId })
    if (why !== undefined) throw new JarvisError('too_many_requests', why)
  }
  return createV1Routes({
    guard: needs.guard,
    models: answering.models,
    startedAt,
    report,
    redact: redactor.text,
    bearer: { verify: (request) => needs.bearer.verify(request, 'v1') },
    watchToken: (response, verified) => void needs.requests.add(response, verified),
    chatCompletions: createChatCompletions(answering),
    embeddings: createEmbeddings(
      embeddings.kind === 'none'
        ? undefined
        : {
            model: embeddings.kind === 'openai' ? embeddings.model : 'sentence-encoder',
            embed: async (texts) => (await memory.embed(texts)).vectors,
          },
      // The local encoder of JARVIS costs nothing, so it needs no budget.
      embeddings.kind === 'openai' ? requireBudget : () => {},
    ),
    files: new ProgramFilesDoor(needs.files),
    transcriptions: createTranscriptions(transcriptions, requireBudget, redactor.text),
    responses: new Responses({
      ...answering,
      runs: sessions.runs,
      transcripts: sessions.store,
      shown: (entry) => wireEntry(entry, redactor),
    }),
  })
}

/**
 * Loads the modules that Chat Completions and Responses share. They start a run of an agent or ask a model directly, and write the answer to the
 * HTTP response.
 */
async function loadAnswering({ foundation, config, agents, sessions, models, budgets }: Needs) {
  const [
    { createAsk },
    { createTidy },
    { createConduct },
    { createListeners },
    { createPlain },
    { createPlainAnswer },
    { ProgramModels },
  ] = await Promise.all([
    import('./ask.ts'),
    import('./tidy.ts'),
    import('./conduct.ts'),
    import('./listeners.ts'),
    import('./plain.ts'),
    import('./plain-answer.ts'),
    import('./models.ts'),
  ])
  const { clock, database, redactor, report, stopping, isStopping } = foundation
  const { runs, store: transcripts, attachments } = sessions
  const core = { runs, transcripts, asked: new SqliteAskedStore(database), clock, report, stopping, isStopping }
  return {
    agents,
    clock,
    holdMs: config.v1HoldMs,
    models: new ProgramModels(agents, {
      ids: () => models.choice.ids(),
      requireForProgram: (ofAgent, named) => models.requireForProgram(ofAgent, named),
    }),
    modelOf({ agent, model }: Named) {
      const own = (agent === undefined ? undefined : agents.find(agent)?.model) ?? model
      return (own === undefined ? undefined : models.choice.named(own)) ?? models.choice.current()
    },
    ask: createAsk({ ...core, tidy: createTidy(core) }),
    async prepare(origin: object, { sent = [], earlier }: ProgramFiles) {
      await redactor.later(origin)
      await attachments.prepare([...sent, ...(earlier?.values() ?? [])].flat())
    },
    conduct: createConduct({ ...core, listeners: createListeners(core) }),
    answerPlainly: createPlainAnswer(
      createPlain({
        models: models.choice,
        budgets: budgets.keeper,
        used: models.used,
        redact: redactor.text,
        stream: () => createStreamRedactor(redactor),
      }),
      clock.now,
    ),
  }
}
