import { Router } from 'express'
import type { ActiveAgents } from '../agents/active.ts'
import type { Agent } from '../agents/agent.ts'
import { type Arrival, chosenFor } from '../agents/bindings.ts'
import type { StepUp } from '../auth/step-up.ts'
import type { SeeingJudge } from '../calls/judge.ts'
import {
  AgentClassifyBody,
  type AgentClassifyReply,
  type AgentDetail,
  AgentFileBody,
  AgentId,
  type AgentInfo,
  AgentPutBody,
  type AgentsReply,
  AgentTryBody,
  type AgentTryReply,
  AgentWhichQuery,
  type AgentWhichReply,
  JarvisError,
  mainAgentId,
  type Spending,
  type WorkspaceText,
} from '../protocol/index.ts'
import { identityOf, operatorOnly, param, passwordAgain, read } from './handle.ts'

/** The files of an agent. Each throws JarvisError as `Workspace` does. */
export type AgentFiles = {
  list(id: string): AgentDetail['files']
  read(id: string, path: string): WorkspaceText
  write(id: string, path: string, text: string, checksum: string | undefined, by: string): WorkspaceText
  remove(id: string, path: string, by: string): void
}

/** `/api/agents`: who there is, their files, which one answers, and trying them. */
export function agentRoutes(parts: {
  agents: ActiveAgents
  files: AgentFiles
  /** Names of the tools that it is offered. */
  offered(agent: Agent): string[]
  allTools(): number
  waiting(): Map<string, number>
  usedToday(agent: string): Spending
  problemOf(agent: Agent): string | undefined
  lately(id: string): AgentDetail['lately']
  judge: SeeingJudge
  /** Begins a rehearsal with an agent. */
  rehearse(agent: string, message: string, by: string): { sessionId: string; runId: string }
  redact<T>(value: T): T
  stepUp: StepUp
}): Router {
  const { agents, files, redact } = parts
  const router = Router()
  const again = passwordAgain(parts.stepUp)

  function infoOf(agent: Agent, waiting = parts.waiting()): AgentInfo {
    const problem = parts.problemOf(agent)
    return {
      ...agent,
      bindings: [...agent.bindings],
      toolCount: parts.offered(agent).length,
      waiting: waiting.get(agent.id) ?? 0,
      usedToday: parts.usedToday(agent.id),
      ...(problem !== undefined && { problem }),
    }
  }

  function detailOf(id: string): AgentDetail {
    const agent = agents.require(id)
    const { id: _, ...body } = agent
    return {
      ...infoOf(agent),
      body: id === mainAgentId ? withoutRights(body) : body,
      offered: parts.offered(agent),
      files: files.list(id),
      lately: parts.lately(id),
    }
  }

  router.get('/', (_request, response) => {
    const waiting = parts.waiting()
    const items = agents.list().map((agent) => infoOf(agent, waiting))
    response.json(redact({ items, allTools: parts.allTools(), ...agents.status() } satisfies AgentsReply))
  })
  router.get('/which', (request, response) => {
    const [first, ...others] = chosenFor(agents.list(), read(AgentWhichQuery, request.query) as Arrival)
    response.json({ ...first, others } satisfies AgentWhichReply)
  })
  router.post('/try', operatorOnly, (request, response) => {
    const { agents: ids, message } = read(AgentTryBody, request.body)
    for (const id of ids) agents.require(id)
    const { sub } = identityOf(response)
    const items = ids.map((agent) => ({ agent, ...parts.rehearse(agent, message, sub) }))
    response.status(201).json({ items } satisfies AgentTryReply)
  })
  router.get('/:id', (request, response) => {
    response.json(redact(detailOf(param(request, 'id'))))
  })
  router.put('/:id', operatorOnly, again, (request, response) => {
    const id = read(AgentId, param(request, 'id'))
    const { agent, hash } = read(AgentPutBody, request.body)
    agents.save(id, agent, identityOf(response).sub, hash)
    response.json(redact(detailOf(id)))
  })
  router.delete('/:id', operatorOnly, again, (request, response) => {
    agents.save(param(request, 'id'), undefined, identityOf(response).sub)
    response.status(204).end()
  })
  // Runs nothing, so viewers may ask too.
  router.post('/:id/classify', async (request, response) => {
    const { id: agent } = agents.require(param(request, 'id'))
    const { toolName, toolInput } = read(AgentClassifyBody, request.body)
    const verdict = async (id: string) =>
      (await parts.judge(toolName, toolInput, undefined, { kind: 'command', agent: id })).verdict
    const [own, main] = [await verdict(agent), await verdict(mainAgentId)]
    response.json({ verdict: own, main } satisfies AgentClassifyReply)
  })
  router.get('/:id/files/*path', (request, response) => {
    const file = files.read(agents.require(param(request, 'id')).id, pathIn(request.params))
    // An operator edits the file and needs its unredacted text.
    response.json(identityOf(response).role === 'operator' ? file : redact(file))
  })
  router.put('/:id/files/*path', operatorOnly, (request, response) => {
    const { id } = agents.require(param(request, 'id'))
    const { text, checksum } = read(AgentFileBody, request.body)
    response.json(files.write(id, pathIn(request.params), text, checksum, identityOf(response).sub))
  })
  router.delete('/:id/files/*path', operatorOnly, (request, response) => {
    files.remove(agents.require(param(request, 'id')).id, pathIn(request.params), identityOf(response).sub)
    response.status(204).end()
  })
  return router
}

const withoutRights = ({ tools: _t, ceiling: _c, memory: _m, ...body }: Omit<Agent, 'id'>) => body

function pathIn({ path }: Record<string, string | string[]>): string {
  if (path === undefined) throw new JarvisError('invalid_request', 'Name a file.')
  return typeof path === 'string' ? path : path.join('/')
}
