import { mainAgentId, type PersonRef, personFor, promptFiles } from 'protocol'
import type { ModelChoice } from '../agent/model.ts'
import { defaultPersona, plainPersona, systemPrompt } from '../agent/persona.ts'
import type { Runs } from '../agent/runs.ts'
import { titleOf } from '../agent/sessions/title.ts'
import type { TranscriptStore } from '../agent/sessions/transcript-store.ts'
import type { Shown } from '../auth/closed-words.ts'
import type { ComposedBudgets } from '../budgets/room.ts'
import type { Gate } from '../calls/room.ts'
import { waitingCounts } from '../calls/waiting.ts'
import { agentsFile } from '../config/agents-file.ts'
import type { Foundation } from '../foundation.ts'
import { defineRoom, type JarvisFacts } from '../house.ts'
import { type AgentFiles, agentRoutes } from '../http/agents.ts'
import { newId } from '../lib/ids.ts'
import { onceFor } from '../lib/once-for.ts'
import { AgentDeeds } from '../store/sqlite/agent-deeds.ts'
import type { Catalog } from '../tools/catalog.ts'
import { houseTools } from '../tools/house.ts'
import { createPromptFiles } from '../workspace/prompt-files.ts'
import type { TextFiles } from '../workspace/text-files.ts'
import { type ActiveAgents, createActiveAgents } from './active.ts'
import { type Agent, isOffered } from './agent.ts'
import { agentDir } from './agent-dir.ts'

/** The room of the agents in `agents.yaml`. Listens to the facts `files.changed` and `models.changed`. */
export const agentsRoom = defineRoom({
  name: 'agents',
  open(needs: {
    foundation: Foundation
    facts: JarvisFacts
    /** Returns the names of the tools that are not part of JARVIS itself. */
    otherTools(): string[]
    models: Pick<ModelChoice, 'ids'>
  }) {
    const { dataDir, settings, database, journal, activity, announce } = needs.foundation
    const shipped = houseTools.map(({ name }) => name)
    const file = agentsFile(dataDir)
    const agents: ActiveAgents = createActiveAgents({
      read: file.read,
      write: file.write,
      settings,
      journal,
      durably: database.durably,
      known: () => ({ tools: [...new Set([...shipped, ...needs.otherTools()])], models: needs.models.ids() }),
      changed: () => activity.changed({ what: 'agents' }),
      announce: announce('policy'),
    })
    needs.facts.on('files.changed', agents.look)
    needs.facts.on('models.changed', agents.look)
    return { agents }
  },
})

/** The room that builds the system prompt of each agent. */
export const promptsRoom = defineRoom({
  name: 'prompts',
  open({
    foundation: { dataDir, redactor },
    agents,
    skillsOf,
  }: {
    foundation: Pick<Foundation, 'dataDir' | 'redactor'>
    agents: Pick<ActiveAgents, 'require' | 'list'>
    /** The text about skills in an agent's prompt. */
    skillsOf(agent: Agent): string
  }) {
    const prompts = new Map<string, { of: Agent; text: () => string }>()
    /**
     * Returns the prompt of an agent. Its files are read again when they change. Secrets are removed, because people may write them into the files.
     */
    function promptOf(agent: Agent): string {
      const known = prompts.get(agent.id)
      if (known?.of === agent) return known.text()
      const isMain = agent.id === mainAgentId
      const files = createPromptFiles(
        agentDir(dataDir, agent.id),
        isMain ? defaultPersona : plainPersona(agent),
        isMain,
      )
      const text = onceFor(
        () => [skillsOf(agent), aboutShared(agent, agents.list())].filter((words) => words !== '').join('\n\n'),
        (more) => onceFor(files, (texts) => redactor.text(systemPrompt(texts, more))),
      )
      const whole = () => text()()
      prompts.set(agent.id, { of: agent, text: whole })
      return whole()
    }
    return {
      promptOf,
      /** The first start writes SOUL.md, so that the operator finds the file before the first message. */
      resume: () => void promptOf(agents.require(mainAgentId)),
    }
  },
})

/** Tells an agent that writes main's notes how a note reaches agents with a memory of their own; empty if there are none. */
const aboutShared = ({ memory }: Agent, all: readonly Agent[]): string =>
  memory === 'shared' && all.some((agent) => agent.memory === 'own')
    ? 'Of your notes, other agents read only those in the folder shared, for example shared/network.md.'
    : ''

/** The room of the agents’ page: its routes. */
export const agentsPageRoom = defineRoom({
  name: 'agents-page',
  open(needs: AgentsPageNeeds) {
    return { contributes: { routes: routesOf(needs) } }
  },
})

type AgentsPageNeeds = {
  foundation: Pick<Foundation, 'database' | 'redactor' | 'now'>
  agents: ActiveAgents
  texts: TextFiles
  catalog: Catalog
  models: Pick<ModelChoice, 'named'>
  gate: Pick<Gate, 'confirmations' | 'questions' | 'tryingJudge'>
  runs: Pick<Runs, 'start' | 'setRehearsal'>
  store: Pick<TranscriptStore, 'session' | 'createSession'>
  budgets: Pick<ComposedBudgets, 'store' | 'midnight'>
  shown(person: PersonRef): Pick<Shown, 'deed'>
}

function routesOf(needs: AgentsPageNeeds) {
  const { agents, catalog, models, gate, runs, store, budgets } = needs
  const { database, redactor, now } = needs.foundation
  const deeds = new AgentDeeds(database)
  return agentRoutes({
    agents,
    files: filesOf(needs.texts),
    usedToday: (agent) => budgets.store.sum({ since: budgets.midnight(), agent }),
    offered: (agent) =>
      catalog
        .list()
        .filter((tool) => isOffered(agent, tool))
        .map(({ name }) => name),
    allTools: () => catalog.list().length,
    waiting() {
      const counts = new Map<string, number>()
      for (const [sessionId, count] of waitingCounts(gate)) {
        const { agent = mainAgentId } = store.session(sessionId) ?? {}
        counts.set(agent, (counts.get(agent) ?? 0) + count)
      }
      return counts
    },
    problemOf: ({ model }) =>
      model !== undefined && models.named(model) === undefined ? `${model} is not configured any more.` : undefined,
    lately: (agent) => deeds.of(agent),
    shown: needs.shown,
    judge: gate.tryingJudge,
    rehearse(agent, message, by) {
      const sessionId = newId('ses')
      store.createSession({
        id: sessionId,
        title: `Try: ${titleOf(message)}`,
        source: 'chat',
        agent,
        at: now(),
        ...personFor(by),
      })
      runs.setRehearsal(sessionId, true, by)
      const { runId } = runs.start({ sessionId, text: message, by })
      return { sessionId, runId }
    },
    redact: redactor.value,
  })
}

/** Gives access to the files of an agent’s prompt and to its memory. */
const filesOf = (texts: TextFiles): AgentFiles => ({
  list: (id) =>
    texts
      .list(id)
      .filter(({ path }) => promptFiles.includes(path) || path === 'MEMORY.md')
      .map((file) => ({ ...file, ...(promptFiles.includes(file.path) && { isPrompt: true as const }) })),
  read: texts.read,
  write: texts.write,
  remove: texts.remove,
})
