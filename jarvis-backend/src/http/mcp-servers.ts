import {
  AttachedAllowBody,
  AttachedLogLine,
  AttachedServer,
  AttachedServerConfig,
  AttachedServersReply,
  type AttachedTier,
  AttachedTierBody,
  AttachedToolInfo,
  JarvisError,
  parseAttachedServer,
  ServerName,
  type Tier,
} from 'protocol'
import { z } from 'zod'
import type { StepUp } from '../auth/step-up.ts'
import { read } from './handle.ts'
import { type Route, readByHandler, route } from './route.ts'

const [command, address] = AttachedServerConfig.options
const NamedServer = z.union([command.extend({ name: ServerName }), address.extend({ name: ServerName })])

/** The attached servers, as far as these routes use them. */
interface ShownServers {
  list(): AttachedServersReply
  logs(name: string): AttachedLogLine[]
  add(name: string, config: AttachedServerConfig, by: string): AttachedServer
  change(name: string, config: AttachedServerConfig, by: string): AttachedServer
  remove(name: string, by: string): void
  setTier(toolName: string, set: { tier: AttachedTier; hash: string }, by: string): AttachedToolInfo
  retry(name: string): void
  allow(name: string, program: string, by: string): AttachedServer
}

/**
 * `/api/mcp-servers`: the MCP servers that JARVIS attaches to, for operators. Starting a program, sending a secret and lowering a tier require the
 * password again.
 */
export const mcpServerRoutes = ({ servers, stepUp }: { servers: ShownServers; stepUp: StepUp }): Route[] => [
  route('/mcp-servers').get(
    'The servers with their tools and problems.',
    { role: 'operator', reply: AttachedServersReply },
    () => servers.list(),
  ),
  route('/mcp-servers').post(
    'Attaches a server: `name` and an entry as in `mcp.json`.',
    { role: 'owner', password: true, body: readByHandler(NamedServer), reply: AttachedServer, status: 201 },
    ({ body, by }) => {
      const { name, ...entry } = recordOf(body)
      return servers.add(read(ServerName, name ?? ''), configOf(entry), by)
    },
  ),
  route('/mcp-servers/:name').put(
    'Replaces a server’s entry. A `[redacted]` value stays as it was.',
    { role: 'owner', password: true, body: readByHandler(AttachedServerConfig), reply: AttachedServer },
    ({ params, body, by }) => servers.change(params.name, configOf(recordOf(body)), by),
  ),
  route('/mcp-servers/:name').delete('Ends and removes a server.', { role: 'owner' }, ({ params, by }) =>
    servers.remove(params.name, by),
  ),
  route('/mcp-servers/:name/logs').get(
    'Its newest lines: what it wrote, and what JARVIS remarked.',
    { role: 'owner', reply: z.object({ items: z.array(AttachedLogLine) }) },
    ({ params }) => ({ items: servers.logs(params.name) }),
  ),
  route('/mcp-servers/:name/connect').post(
    'Connects now.',
    { role: 'owner', password: true, status: 202, reply: z.object({ started: z.literal(true) }) },
    ({ params }) => {
      servers.retry(params.name)
      return { started: true as const }
    },
  ),
  route('/mcp-servers/:name/allow').post(
    'Lets the program of this hash start, which came into `mcp.json` by another way than this.',
    { role: 'owner', password: true, body: AttachedAllowBody, reply: AttachedServer },
    ({ params, body, by }) => servers.allow(params.name, body.program, by),
  ),
  route('/mcp-servers/tools/:tool/tier').put(
    'Sets the tier of a tool’s definition with this `hash`. A looser tier needs the password.',
    { role: 'owner', password: 'sometimes', body: AttachedTierBody, reply: AttachedToolInfo },
    ({ params, body: { tier, hash }, by, identity }) => {
      const tools = servers.list().items.flatMap((server) => server.tools)
      // A tool that is not listed counts as red.
      const { tier: before = 'red' } = tools.find(({ name }) => name === params.tool) ?? {}
      if (asksLess(tier, before)) stepUp.require(identity)
      return servers.setTier(params.tool, { tier, hash }, by)
    },
  ),
]

const fromStrictest: readonly Tier[] = ['black', 'red', 'yellow', 'green']
const asksLess = (tier: Tier, before: Tier) => fromStrictest.indexOf(tier) > fromStrictest.indexOf(before)

const recordOf = (body: unknown): Record<string, unknown> =>
  typeof body === 'object' && body !== null ? { ...body } : {}

function configOf(value: unknown): AttachedServerConfig {
  const parsed = parseAttachedServer(value)
  if (!parsed.ok) throw new JarvisError('invalid_request', parsed.problem)
  return parsed.config
}
