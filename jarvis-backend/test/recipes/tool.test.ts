import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from 'node-kit/clock'
import type { ToolInfo } from 'protocol'
import { expect, test } from 'vitest'
import { nodeTools } from '../../src/tools/nodes/index.ts'
import { folder } from '../support/data-dir.ts'
import { overHomelab } from '../support/house.ts'
import { connectMcp, createToken } from '../support/mcp-client.ts'
import { expectLine, expectShown } from '../support/recipe.ts'
import { calls, says, scripted } from '../support/scripted-model.ts'
import { createSimulator } from '../support/simulator.ts'
import { startJarvis } from '../support/start-jarvis.ts'
import { refreshPackages } from './refresh-packages.ts'

const title = 'A tool'

test('the recipe shows the file of the tool, and the line that adds it', () => {
  expectShown(
    title,
    'jarvis-backend/src/tools/nodes/refresh-packages.ts',
    join(import.meta.dirname, 'refresh-packages.ts'),
  )
  expectLine(title, 'refreshPackages,', 'jarvis-backend/src/tools/nodes/index.ts')
})

test('the tool of the recipe asks by a rule about its effect, runs once, and is listed at every door', async () => {
  const homelab = createSimulator({ clock: systemClock, protectedTargets: new Set() })
  const ran: string[] = []
  homelab.shell.run = async (node, commands) => {
    ran.push(`${node}: ${commands.flat().join(' ')}`)
    return { exitCode: 0, stdout: 'Hit:1', stderr: '', truncated: false }
  }
  // The recipe's line: the list of the nodes' tools, with the new one at its end.
  const list = [...nodeTools, refreshPackages]
  const added = list.filter(({ name }) => !nodeTools.some((tool) => tool.name === name))
  const dataDir = folder()
  writeFileSync(
    join(dataDir, 'policy.yaml'),
    'rules: [{name: ask, effect: data, on: node, tier: red, because: Ask first.}]\n',
  )
  const model = scripted(calls(['refresh_packages', { ...refreshPackages.example }]), says('Done.'))
  const jarvis = await startJarvis({ model, homelab, dataDir, tools: overHomelab(homelab, added) })
  const screen = await jarvis.connect()

  const { sessionId } = await screen.ask('chat:send', { message: 'Refresh the packages of pve.' })
  const card = await screen.next('chat:confirm_needed')
  expect(card).toMatchObject({ rule: 'policy:ask', sentence: 'The list of packages on pve is refreshed.' })
  expect(ran).toEqual([])
  await screen.ask('chat:confirm', { sessionId, toolUseId: card.toolUseId, confirmed: true })
  expect(await screen.next('chat:tool_result')).toMatchObject({ isError: false, summary: 'refreshed' })
  expect(ran).toEqual(['pve: apt-get update'])
  await screen.next('chat:done')

  const info = (await (await jarvis.rest('/api/tools/refresh_packages')).json()) as ToolInfo
  expect(info).toMatchObject({ tier: 'yellow', effects: [{ kind: 'data', on: 'node' }] })
  const client = await connectMcp(jarvis, createToken(jarvis))
  const names: string[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await client.listTools({ ...(cursor !== undefined && { cursor }) })
    names.push(...page.tools.map(({ name }) => name))
    cursor = page.nextCursor
    if (cursor === undefined) break
  }
  expect(names).toContain('refresh_packages')
})
