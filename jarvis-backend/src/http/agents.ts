import { isDeepStrictEqual } from 'node:util'
import {
  AgentClassifyBody,
  AgentClassifyReply,
  AgentDetail,
  AgentFileBody,
  AgentId,
  type AgentInfo,
  AgentPutBody,
  AgentsReply,
  AgentTryBody,
  AgentTryReply,
  AgentWhichQuery,
  AgentWhichReply,
  JarvisError,
  mainAgentId,
  type PersonRef,
  promptFiles,
  type Spending,
  WorkspaceText,
} from 'protocol'
import { z } from 'zod'
import type { ActiveAgents } from '../agents/active.ts'
import { type Agent, agentOf } from '../agents/agent.ts'
import { type Arrival, chosenFor } from '../agents/bindings.ts'
import type { Shown } from '../auth/closed-words.ts'
import { requireHouse } from '../auth/reach.ts'
import type { TryingJudge } from '../calls/judge.ts'
import { programsNote } from '../memory/program-notes.ts'
import { questionerOf } from './handle.ts'
import { presentText } from './memory.ts'
import { type Route, route } from './route.ts'

/** The files of an agent. Each method throws the same errors as `Workspace`. */
export type AgentFiles = {
  list(id: string): AgentDetail['files']
  read(id: string, path: string): WorkspaceText
  write(id: string, path: string, file: { text: string; checksum: string | undefined; by: string }): WorkspaceText
  remove(id: string, path: string, by: string): void
}

export type AgentParts = {
  agents: ActiveAgents
  files: AgentFiles
  /** Names of the tools that the agent is offered. */
  offered(agent: Agent): string[]
  allTools(): number
  waiting(): Map<string, number>
  usedToday(agent: string): Spending
  problemOf(agent: Agent): string | undefined
  lately(id: string): AgentDetail['lately']
  shown(person: PersonRef): Pick<Shown, 'deed'>
  judge: TryingJudge
  /** Begins a rehearsal with an agent. */
  rehearse(agent: string, message: string, by: string): { sessionId: string; runId: string }
  redact<T>(value: T): T
}

/** `/api/agents`: the agents, their files, the agent that answers in a given case, and rehearsals. */
export const agentRoutes = (parts: AgentParts): Route[] => [
  // `/agents/which` comes first, because `/agents/:id` would match it too.
  ...houseRoutes(parts),
  ...oneRoutes(parts),
  ...fileRoutes(parts),
]

function infoOf(agent: Agent, parts: AgentParts, waiting = parts.waiting()): AgentInfo {
  const problem = parts.problemOf(agent)
  return {
    ...agent,
    bindings: [...agent.bindings],
    toolCount: parts.offered(agent).length,
    waiting: waiting.get(agent.id) ?? 0,
    usedToday: parts.usedToday(agent.id),
    problem,
  }
}

function detailOf(id: string, parts: AgentParts, person: PersonRef): AgentDetail {
  const agent = parts.agents.require(id)
  const { id: _, ...body } = agent
  const shown = parts.shown(person)
  return {
    ...infoOf(agent, parts),
    body: id === mainAgentId ? withoutRights(body) : body,
    offered: parts.offered(agent),
    files: parts.files.list(id),
    lately: parts.lately(id).map(shown.deed),
  }
}

/** Routes of one agent: its settings, and the verdict on one of its calls. */
function oneRoutes(parts: AgentParts): Route[] {
  const { agents, redact } = parts
  return [
    route('/agents/:id').get(
      'One agent, with its `body` in `agents.yaml`, files, tools offered, and what it did lately.',
      { role: 'viewer', token: 'read', reply: AgentDetail },
      ({ params, identity }) => redact(detailOf(params.id, parts, identity.person)),
    ),
    route('/agents/:id').put(
      'Makes or changes an agent. 409 where the file is not the one of `hash`. A program [gives an agent no rights](tokens.md#memory-and-agents).',
      {
        role: 'owner',
        password: true,
        token: 'agents:write',
        params: z.object({ id: AgentId }),
        body: AgentPutBody,
        reply: AgentDetail,
      },
      ({ params: { id }, body, by, identity }) => {
        if (identity.token !== undefined) requireSameRights(agents.find(id), agentOf(id, body.agent))
        agents.save(id, { agent: body.agent, hash: body.hash }, by)
        return redact(detailOf(id, parts, identity.person))
      },
    ),
    route('/agents/:id').delete(
      'Removes an agent; its folder and conversations stay.',
      { role: 'owner', password: true },
      ({ params, by }) => agents.save(params.id, {}, by),
    ),
    route('/agents/:id/classify').post(
      'The verdict on a call of the agent’s in your name, and of the main agent’s; runs nothing.',
      { role: 'viewer', token: 'read', body: AgentClassifyBody, reply: AgentClassifyReply },
      async ({ params, body: { toolName, toolInput }, identity }) => {
        const { id } = agents.require(params.id)
        const verdictOf = async (agent: string) =>
          (await parts.judge(toolName, toolInput, { ...questionerOf(identity), agent })).verdict
        return redact({ verdict: await verdictOf(id), main: await verdictOf(mainAgentId) })
      },
    ),
  ]
}

/** Routes of all agents: the list, the agent that answers in a given case, and rehearsals. */
function houseRoutes(parts: AgentParts): Route[] {
  const { agents, redact } = parts
  return [
    route('/agents').get(
      'The [agents](agents.md).',
      { role: 'viewer', forMembers: true, token: 'read', reply: AgentsReply },
      () => {
        const waiting = parts.waiting()
        const items = agents.list().map((agent) => infoOf(agent, parts, waiting))
        return redact({ items, allTools: parts.allTools(), ...agents.status() })
      },
    ),
    route('/agents/which').get(
      'The agent that answers at a `door`, and by which binding.',
      { role: 'viewer', token: 'read', query: AgentWhichQuery, reply: AgentWhichReply },
      ({ query }) => {
        const [first, ...others] = chosenFor(agents.list(), query as Arrival)
        return { ...first, others }
      },
    ),
    route('/agents/try').post(
      'Says something to one or two agents, each in a rehearsal.',
      { role: 'operator', body: AgentTryBody, reply: AgentTryReply, status: 201 },
      ({ body, by }) => {
        for (const id of body.agents) agents.require(id)
        return { items: body.agents.map((agent) => ({ agent, ...parts.rehearse(agent, body.message, by) })) }
      },
    ),
  ]
}

/** Routes of the files in agents' folders. */
const fileRoutes = ({ agents, files, redact }: AgentParts): Route[] => [
  route('/agents/:id/files/*path').get(
    'A file of the agent’s folder with its `checksum`. Not for those who may only look. Programs get it redacted.',
    { role: 'viewer', token: 'agents:read', reply: WorkspaceText },
    ({ params, identity }) => {
      requireHouse(identity.person)
      const file = files.read(agents.require(params.id).id, params.path)
      // An operator edits the file and needs its unredacted text.
      return identity.role === 'operator' ? file : redact(file)
    },
  ),
  route('/agents/:id/files/*path').put(
    'Writes a file. 409 where it changed since `checksum`. A program writes prompt files of agents other than main, and [texts of others](tokens.md#memory-and-agents).',
    { role: 'operator', token: 'agents:write', body: AgentFileBody, reply: WorkspaceText },
    ({ params: { id: asked, path }, body: { text: given, checksum }, by, identity: { token } }) => {
      const { id } = agents.require(asked)
      if (token === undefined) return files.write(id, path, { text: given, checksum, by })
      const present = presentText(path, checksum, () => files.read(id, path))
      const text = isOwnPrompt(id, path) ? redact(given) : programsNote(path, present, redact(given))
      return redact(files.write(id, path, { text, checksum, by }))
    },
  ),
  route('/agents/:id/files/*path').delete(
    'Deletes a file; a program, one that it may write.',
    { role: 'operator', token: 'agents:write' },
    ({ params: { id: asked, path }, by, identity: { token } }) => {
      const { id } = agents.require(asked)
      if (token !== undefined && !isOwnPrompt(id, path))
        programsNote(
          path,
          presentText(path, '', () => files.read(id, path)),
          '',
        )
      files.remove(id, path, by)
    },
  ),
]

/** True for a prompt file of an agent other than main. */
const isOwnPrompt = (id: string, path: string) => id !== mainAgentId && promptFiles.includes(path)

/**
 * Requires that a program gives an agent no rights: an agent that is there keeps its own, and a new one only reads, with the model in use. A program
 * could choose an agent that it changed. @throws JarvisError `forbidden`
 */
function requireSameRights(before: Agent | undefined, after: Agent): void {
  const least = before ?? agentOf(after.id, { ceiling: 'green' })
  const given = rights.find((right) => !isDeepStrictEqual(after[right], least[right]))
  if (given === undefined) return
  throw new JarvisError(
    'forbidden',
    before === undefined
      ? `${given}: a program makes agents with the ceiling green and without other rights. A person gives them.`
      : `${given}: a program changes the words of an agent and none of its rights. Leave it as it is.`,
  )
}
const rights = ['model', 'tools', 'skills', 'ceiling', 'memory', 'budget', 'bindings'] as const

const withoutRights = ({ tools: _t, ceiling: _c, memory: _m, ...body }: Omit<Agent, 'id'>) => body
