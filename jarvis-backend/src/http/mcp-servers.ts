import { Router } from 'express'
import type { StepUp } from '../auth/step-up.ts'
import {
  type AttachedLogLine,
  type AttachedServer,
  type AttachedServerConfig,
  type AttachedServersReply,
  type AttachedTier,
  AttachedTierBody,
  type AttachedToolInfo,
  JarvisError,
  parseAttachedServer,
  ServerName,
  type Tier,
} from '../protocol/index.ts'
import { identityOf, operatorOnly, param, passwordAgain, read } from './handle.ts'

/**
 * `/api/mcp-servers`: the MCP servers that JARVIS attaches to, for operators. Starting a program, sending a secret and lowering a tier require the
 * password again.
 */
export function mcpServerRoutes(servers: {
  list(): AttachedServersReply
  logs(name: string): AttachedLogLine[]
  add(name: string, config: AttachedServerConfig, by: string): AttachedServer
  change(name: string, config: AttachedServerConfig, by: string): AttachedServer
  remove(name: string, by: string): void
  setTier(toolName: string, tier: AttachedTier, hash: string, by: string): AttachedToolInfo
  retry(name: string): void
  stepUp: StepUp
}): Router {
  const fresh = passwordAgain(servers.stepUp)
  const router = Router()
  router.use(operatorOnly)
  router.get('/', (_request, response) => {
    response.json(servers.list())
  })
  router.post('/', fresh, (request, response) => {
    const { name, ...entry } = bodyOf(request.body)
    response.status(201).json(servers.add(read(ServerName, name ?? ''), configOf(entry), identityOf(response).sub))
  })
  router.put('/:name', fresh, (request, response) => {
    response.json(servers.change(param(request, 'name'), configOf(bodyOf(request.body)), identityOf(response).sub))
  })
  router.delete('/:name', (request, response) => {
    servers.remove(param(request, 'name'), identityOf(response).sub)
    response.status(204).end()
  })
  router.get('/:name/logs', (request, response) => {
    response.json({ items: servers.logs(param(request, 'name')) })
  })
  router.post('/:name/connect', fresh, (request, response) => {
    servers.retry(param(request, 'name'))
    response.status(202).json({ started: true })
  })
  router.put('/tools/:tool/tier', (request, response) => {
    const { tier, hash } = read(AttachedTierBody, request.body)
    const name = param(request, 'tool')
    const known = servers.list().items.flatMap(({ tools }) => tools.find((tool) => tool.name === name) ?? [])[0]
    // An unknown tool counts as red.
    const { tier: before = 'red' } = known ?? {}
    if (asksLess(tier, before)) servers.stepUp.require(identityOf(response))
    response.json(servers.setTier(name, tier, hash, identityOf(response).sub))
  })
  return router
}

const fromStrictest: readonly Tier[] = ['black', 'red', 'yellow', 'green']
const asksLess = (tier: Tier, before: Tier) => fromStrictest.indexOf(tier) > fromStrictest.indexOf(before)

const bodyOf = (body: unknown): Record<string, unknown> =>
  typeof body === 'object' && body !== null ? { ...body } : {}

function configOf(value: unknown): AttachedServerConfig {
  const parsed = parseAttachedServer(value)
  if (!parsed.ok) throw new JarvisError('invalid_request', parsed.problem)
  return parsed.config
}
