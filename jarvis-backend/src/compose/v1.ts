import { JarvisError, mainAgentId } from 'protocol'
import type { ProgramFiles } from '../agent/run/start-program.ts'
import { wireEntry } from '../agent/sessions/wire-entry.ts'
import type { Bearer } from '../auth/bearer.ts'
import type { OpenRequests } from '../auth/open-requests.ts'
import type { RequestGuard } from '../auth/request-guard.ts'
import type { Config } from '../config/config.ts'
import { createStreamRedactor } from '../gate/index.ts'
import { onFirstUse } from '../http/on-first-use.ts'
import type { Site } from '../site.ts'
import { createAskedStore } from '../store/sqlite/asked.ts'

/** Wires `/v1`. Its code is loaded by the first request. */
export function composeV1(
  site: Site,
  parts: {
    guard: RequestGuard
    bearer: Bearer
    requests: OpenRequests
    config: Pick<Config, 'v1HoldMs' | 'embeddings' | 'transcriptions'>
  },
) {
  const { runs, store: transcripts, clock, report, database, redactor } = site
  const { agents } = site
  const startedAt = site.now()

  return onFirstUse(async () => {
    const [
      { createAsk },
      { createTidy },
      { createConduct },
      { createListeners },
      { createPlain },
      { createPlainAnswer },
      chat,
      { createEmbeddings },
      { createResponses },
      { createV1Routes },
      { createTranscriptions },
    ] = await Promise.all([
      import('../v1/ask.ts'),
      import('../v1/tidy.ts'),
      import('../v1/conduct.ts'),
      import('../v1/listeners.ts'),
      import('../v1/plain.ts'),
      import('../v1/plain-answer.ts'),
      import('../v1/chat/handle.ts'),
      import('../v1/embeddings.ts'),
      import('../v1/responses/handle.ts'),
      import('../v1/routes.ts'),
      import('../v1/transcriptions.ts'),
    ])
    const asked = createAskedStore(database)
    const core = {
      runs,
      transcripts,
      asked,
      clock,
      report,
      stopping: site.stopping,
      isStopping: site.isStopping,
    }
    const door = {
      agents,
      clock,
      holdMs: parts.config.v1HoldMs,
      modelOf(agent: string | undefined) {
        const own = agent === undefined ? undefined : agents.find(agent)?.model
        return (own === undefined ? undefined : site.models.choice.named(own)) ?? site.models.choice.current()
      },
      ask: createAsk({ ...core, tidy: createTidy(core) }),
      async prepare(origin: object, { sent = [], earlier }: ProgramFiles) {
        await redactor.later(origin)
        await site.attachments.prepare([...sent, ...(earlier?.values() ?? [])].flat())
      },
      conduct: createConduct({ ...core, listeners: createListeners(core) }),
      answerPlainly: createPlainAnswer(
        createPlain({
          models: site.models.choice,
          budgets: site.budgets.keeper,
          used: site.models.used,
          redact: redactor.text,
          stream: () => createStreamRedactor(redactor),
        }),
        clock.now,
      ),
    }
    const { embeddings, transcriptions } = parts.config
    const requireBudget = () => {
      const why = site.budgets.keeper.usedUp({ agent: mainAgentId })
      if (why !== undefined) throw new JarvisError('too_many_requests', why)
    }
    return createV1Routes({
      guard: parts.guard,
      agents,
      startedAt,
      report,
      redact: redactor.text,
      bearer: { verify: (request) => parts.bearer.verify(request, 'v1') },
      watchToken: (response, verified) => void parts.requests.add(response, verified),
      chatCompletions: chat.createChatCompletions(door),
      embeddings: createEmbeddings(
        embeddings.kind === 'none'
          ? undefined
          : {
              model: embeddings.kind === 'openai' ? embeddings.model : 'sentence-encoder',
              embed: async (texts) => (await site.memory.embed(texts)).vectors,
            },
        // What is computed here costs nothing.
        embeddings.kind === 'openai' ? requireBudget : () => {},
      ),
      transcriptions: createTranscriptions(transcriptions, requireBudget, redactor.text),
      responses: createResponses({ ...door, runs, transcripts, shown: (entry) => wireEntry(entry, redactor) }),
    })
  }, report)
}
