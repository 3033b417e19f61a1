import type { ModelChoice } from '../agent/model.ts'
import { defaultPersona, plainPersona, systemPrompt } from '../agent/persona.ts'
import type { Runs } from '../agent/runs.ts'
import { titleOf } from '../agent/sessions/title.ts'
import type { TranscriptStore } from '../agent/sessions/transcript-store.ts'
import { type ActiveAgents, createActiveAgents } from '../agents/active.ts'
import { type Agent, mayUse } from '../agents/agent.ts'
import { agentDir } from '../agents/agent-dir.ts'
import type { Shown } from '../auth/closed-words.ts'
import { agentsFile } from '../config/agents-file.ts'
import { type AgentFiles, agentRoutes } from '../http/agents.ts'
import { newId } from '../lib/ids.ts'
import { onceFor } from '../lib/once-for.ts'
import { mainAgentId, type PersonRef, personFor, promptFiles, type Spending, tiers } from '../protocol/index.ts'
import { createAgentDeeds } from '../store/sqlite/agent-deeds.ts'
import type { Catalog } from '../tools/catalog.ts'
import { houseTools } from '../tools/house.ts'
import type { Tool } from '../tools/tool.ts'
import { createPromptFiles } from '../workspace/prompt-files.ts'
import type { Foundation } from './foundation.ts'
import type { Gate } from './gate.ts'
import type { TextFiles } from './text-files.ts'

/** Wires the agents: `agents.yaml`, the folder and the prompt of each, and what each is offered. */
export function composeAgents(
  foundation: Foundation,
  parts: {
    /** Names of the tools that do not come with JARVIS. */
    otherTools(): string[]
    models(): string[]
    texts: TextFiles
    /** The skills that an agent's prompt names. */
    skillsOf(agent: Agent): string
  },
) {
  const { dataDir, redactor, settings, database, journal, activity } = foundation
  const house = houseTools.map(({ name }) => name)
  const file = agentsFile(dataDir)
  const agents: ActiveAgents = createActiveAgents({
    ...{ read: file.read, write: file.write, settings, journal, durably: database.durably },
    known: () => ({
      tools: [...new Set([...house, ...parts.otherTools()])],
      models: parts.models(),
    }),
    changed: () => activity.changed({ what: 'agents' }),
    announce: foundation.announce('policy'),
  })
  const prompts = new Map<string, { of: Agent; text: () => string }>()

  /** The prompt of an agent: its files, read when they change. Files that people wrote may hold secrets. */
  function promptOf(agent: Agent): string {
    const known = prompts.get(agent.id)
    if (known?.of === agent) return known.text()
    const isMain = agent.id === mainAgentId
    const files = createPromptFiles(agentDir(dataDir, agent.id), isMain ? defaultPersona : plainPersona(agent), isMain)
    const text = onceFor(
      () => parts.skillsOf(agent),
      (skills) => onceFor(files, (texts) => redactor.text(systemPrompt(texts, skills))),
    )
    const whole = () => text()()
    prompts.set(agent.id, { of: agent, text: whole })
    return whole()
  }

  /** Whether an agent's models are offered a tool; the gate refuses the rest all the same. */
  const isOffered = (agent: Agent, tool: Tool) =>
    mayUse(agent, tool) && tiers.indexOf(tool.tier) <= tiers.indexOf(agent.ceiling)

  return { agents, promptOf, isOffered, files: filesOf(parts.texts) }
}

/** `/api/agents`, over the parts that are made after the agents. */
export function composeAgentRoutes(
  { agents, isOffered, files }: ComposedAgents,
  { database, redactor, now }: Pick<Foundation, 'database' | 'redactor' | 'now'>,
  parts: {
    catalog: Catalog
    models: Pick<ModelChoice, 'named'>
    gate: Pick<Gate, 'confirmations' | 'tryingJudge'>
    runs: Pick<Runs, 'start' | 'setRehearsal'>
    store: Pick<TranscriptStore, 'session' | 'createSession'>
    usedToday(agent: string): Spending
    shown(person: PersonRef): Pick<Shown, 'deed'>
  },
) {
  const { catalog, models, gate, runs, store } = parts
  return agentRoutes({
    agents,
    files,
    usedToday: parts.usedToday,
    offered: (agent) =>
      catalog
        .list()
        .filter((tool) => isOffered(agent, tool))
        .map(({ name }) => name),
    allTools: () => catalog.list().length,
    waiting() {
      const counts = new Map<string, number>()
      for (const [sessionId, count] of gate.confirmations.pendingCounts()) {
        const { agent = mainAgentId } = store.session(sessionId) ?? {}
        counts.set(agent, (counts.get(agent) ?? 0) + count)
      }
      return counts
    },
    problemOf: ({ model }) =>
      model !== undefined && models.named(model) === undefined ? `${model} is not configured any more.` : undefined,
    lately: createAgentDeeds(database),
    shown: parts.shown,
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

export type ComposedAgents = ReturnType<typeof composeAgents>

/** The prompt's files of an agent, and its memory. */
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
