import { statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client as CurrentClient } from '@modelcontextprotocol/client'
import { StdioClientTransport as CurrentTransport } from '@modelcontextprotocol/client/stdio'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { expect, onTestFinished, test } from 'vitest'
import { folder } from './support/data-dir.ts'
import { firstCard } from './support/mcp-client.ts'
import { program } from './support/program.ts'
import { startJarvis } from './support/start-jarvis.ts'

const backend = fileURLToPath(new URL('..', import.meta.url))
const command = (dataDir: string, ...args: string[]) => ({
  command: process.execPath,
  args: [...program('cli'), 'mcp', ...args],
  cwd: backend,
  env: { PATH: process.env.PATH ?? '', JARVIS_DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'info' },
  stderr: 'ignore' as const,
})

const clients = {
  'an older client': (parameters: ReturnType<typeof command>) => {
    const client = new Client({ name: 'older-desktop', version: '1' })
    return { client, connect: () => client.connect(new StdioClientTransport(parameters) as never) }
  },
  'a current client': (parameters: ReturnType<typeof command>) => {
    const client = new CurrentClient(
      { name: 'current-desktop', version: '1' },
      { versionNegotiation: { mode: 'auto' } },
    )
    return { client, connect: () => client.connect(new CurrentTransport(parameters)) }
  },
}

test.each(Object.entries(clients))('%s speaks over a pipe to the server that runs', async (_what, make) => {
  const jarvis = await startJarvis()
  const { client, connect } = make(command(jarvis.dataDir, '--url', jarvis.url))
  await connect()
  onTestFinished(() => client.close())
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('get_vms')
  expect((await client.callTool({ name: 'get_vms', arguments: {} })).isError).toBe(false)
  const answer = client.callTool({ name: 'stop_vm', arguments: { vmid: 103 } })
  const card = await firstCard(jarvis)
  expect(card).toMatchObject({ toolName: 'stop_vm', requestedBy: { kind: 'mcp', token: 'stdio' } })
  await jarvis.rest(`/api/confirmations/${card.toolUseId}`, { method: 'POST', json: { confirmed: true } })
  expect((await answer).isError).toBe(false)
  expect(jarvis.guest(103)?.status).toBe('stopped')
  expect(statSync(join(jarvis.dataDir, 'mcp-stdio-token')).mode & 0o777).toBe(0o600)
})

test('where no server runs one is started, and its log keeps off standard output', async () => {
  const { client, connect } = clients['an older client'](command(folder()))
  const strange: Error[] = []
  client.onerror = (error) => strange.push(error)
  await connect()
  onTestFinished(() => client.close())
  const { contents } = await client.readResource({ uri: 'jarvis://cluster' })
  expect(contents).toHaveLength(1)
  expect(strange).toEqual([])
})
