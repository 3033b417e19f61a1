import { defaultPersona, plainPersona, systemPrompt } from '../agent/persona.ts'
import type { Agent } from '../agents/agent.ts'
import { agentDir } from '../agents/agent-dir.ts'
import { onlyMain } from '../agents/registry.ts'
import { onceFor } from '../lib/once-for.ts'
import { mainAgentId } from '../protocol/index.ts'
import { createPromptFiles } from '../workspace/prompt-files.ts'
import type { Foundation } from './foundation.ts'

/**
 * Wires the agents: who they are, and the prompt of each.
 * @param catalogue the skills that an agent's prompt names
 */
export function composeAgents(
  { dataDir, redactor }: Pick<Foundation, 'dataDir' | 'redactor'>,
  catalogue: (agent: Agent) => string,
) {
  const agents = onlyMain()
  const prompts = new Map<string, { of: Agent; text: () => string }>()

  /** The prompt of an agent: its files, read when they change. Files that people wrote may hold secrets. */
  function promptOf(agent: Agent): string {
    const known = prompts.get(agent.id)
    if (known?.of === agent) return known.text()
    const isMain = agent.id === mainAgentId
    const files = createPromptFiles(agentDir(dataDir, agent.id), isMain ? defaultPersona : plainPersona(agent), isMain)
    const text = onceFor(
      () => catalogue(agent),
      (skills) => onceFor(files, (texts) => redactor.text(systemPrompt(texts, skills))),
    )
    const whole = () => text()()
    prompts.set(agent.id, { of: agent, text: whole })
    return whole()
  }
  // The first start writes its SOUL.md, so that the operator finds it before the first message.
  promptOf(agents.require(mainAgentId))
  return { agents, promptOf }
}

export type ComposedAgents = ReturnType<typeof composeAgents>
