import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { AttachedServer, AttachedToolInfo } from 'protocol'
import { onTestFinished } from 'vitest'
import type { TestJarvis } from './start-jarvis.ts'

const oddServer = fileURLToPath(new URL('./odd-mcp-server.mjs', import.meta.url))

export const tool = (name: string, more: object = {}) => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, additionalProperties: false },
  ...more,
})

export type Plan = { start?: 'crash' | 'hang' | 'noise' | 'quiet' | 'strict'; tools: object[]; asks?: object }

/**
 * A data dir whose `mcp.json` attaches what is told; and the plan of the odd server, which a test may change.
 * @param atEnd takes what removes it, where it outlives one test
 */
export function attachedDir(
  servers: (planPath: string) => Record<string, object>,
  plan: Plan = { tools: [] },
  atEnd: (end: () => void) => void = onTestFinished,
) {
  const dir = mkdtempSync(join(tmpdir(), 'jarvis-test-'))
  atEnd(() => rmSync(dir, { recursive: true, force: true }))
  const planPath = join(dir, 'plan.json')
  const setPlan = (next: Plan) => writeFileSync(planPath, JSON.stringify(next))
  const write = (mcpServers: object) => writeFileSync(join(dir, 'mcp.json'), JSON.stringify({ mcpServers }))
  setPlan(plan)
  write(servers(planPath))
  return { dir, planPath, setPlan, write }
}

export const odd = (planPath: string, more: object = {}) => ({
  command: process.execPath,
  args: [oddServer, planPath],
  ...more,
})

export const serversOf = (jarvis: TestJarvis) => jarvis.as('operator').call('GET /api/mcp-servers')

/** Waits until what the list says of a server is so. */
export async function until(jarvis: TestJarvis, name: string, isSo: (server: AttachedServer) => boolean) {
  const events = await jarvis.connect('/events')
  for (;;) {
    const server = (await serversOf(jarvis)).items.find((item) => item.name === name)
    if (server !== undefined && isSo(server)) return server
    await events.next('changed' as never)
  }
}

/** Allows the program that waits. @throws where none does */
export async function allow(jarvis: TestJarvis, name: string) {
  const { program = '' } = await until(jarvis, name, ({ state }) => state === 'waiting')
  await jarvis.as('operator').call('POST /api/mcp-servers/:name/allow', { params: { name }, body: { program } })
}

/** Waits until it is connected; a program that nobody allowed yet is allowed first. */
export async function connected(jarvis: TestJarvis, name: string) {
  const { state } = await until(jarvis, name, (server) => ['connected', 'waiting'].includes(server.state))
  if (state === 'waiting') await allow(jarvis, name)
  return until(jarvis, name, (server) => server.state === 'connected')
}

export async function toolOf(jarvis: TestJarvis, name: string): Promise<AttachedToolInfo> {
  const found = (await serversOf(jarvis)).items.flatMap(({ tools }) => tools).find((info) => info.name === name)
  if (found === undefined) throw new Error(`There is no ${name}.`)
  return found
}

export async function setTier(jarvis: TestJarvis, name: string, tier: string) {
  const { hash } = await toolOf(jarvis, name)
  return jarvis.rest(`/api/mcp-servers/tools/${name}/tier`, { method: 'PUT', json: { tier, hash } })
}
