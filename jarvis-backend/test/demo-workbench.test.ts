import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from 'node-kit/clock'
import { expect, test } from 'vitest'
import { makeDemoWorkbench } from '../../scripts/demo-workbench.js'
import { readPolicy } from '../src/config/policy-file.ts'
import { demoModel } from '../src/providers/index.ts'
import type { Fetched } from '../src/workbench/web/fetch-site.ts'
import { rootFolder } from './support/data-dir.ts'
import { createSimulator } from './support/simulator.ts'
import { startJarvis } from './support/start-jarvis.ts'

test('in the demo a sentence changes a file after a card with the difference, and “undo that” brings the bytes back', async () => {
  const dataDir = join(rootFolder(), 'demo')
  expect(makeDemoWorkbench(dataDir)).toBeUndefined()
  const file = join(`${dataDir}-files`, 'compose/jellyfin.yml')
  const before = readFileSync(file, 'utf8')
  const homelab = createSimulator({ clock: systemClock, protectedTargets: new Set(), speed: 1 })
  const model = demoModel({ cluster: () => homelab.cluster.state() })
  const jarvis = await startJarvis({ dataDir, homelab, model })
  const screen = await jarvis.connect()
  let sessionId: string | undefined
  const say = async (message: string) => {
    const sent = await screen.ask('chat:send', { message, ...(sessionId !== undefined && { sessionId }) })
    sessionId = sent.sessionId
  }
  const approve = async () => {
    const card = await screen.next('chat:confirm_needed')
    await screen.ask('chat:confirm', { sessionId: sessionId ?? '', toolUseId: card.toolUseId, confirmed: true })
    await screen.next('chat:done')
    return card
  }
  await say('change the port in compose/jellyfin.yml to 8097')
  expect((await approve()).diff).toMatchObject([
    {
      path: 'compose/jellyfin.yml',
      lines: expect.arrayContaining(['-      - "8096:8096"', '+      - "8097:8096"']),
    },
  ])
  expect(readFileSync(file, 'utf8')).toBe(before.replace('8096:8096', '8097:8096'))
  await say('undo that')
  await approve()
  expect(readFileSync(file, 'utf8')).toBe(before)
  await say('grep ERROR in logs')
  await screen.next('chat:done')
  const told = screen.received.findLast(({ event }) => event === 'chat:tool_result')
  expect(told?.payload).toMatchObject({ isError: false, summary: expect.stringMatching(/^[1-9]/) })
  await say('open jellyfin.log')
  await screen.next('chat:done')
  const opened = screen.received.findLast(({ event }) => event === 'chat:tool_result')
  expect(opened?.payload).toMatchObject({ isError: false, summary: expect.stringMatching(/^logs\/jellyfin\.log, /) })
})

test('in the demo sentences read a page and search the web without a card, and an area that is off is named', async () => {
  const dataDir = join(rootFolder(), 'demo-web')
  mkdirSync(dataDir)
  writeFileSync(join(dataDir, 'policy.yaml'), 'workbench:\n  web: {fetch: true}\n')
  const homelab = createSimulator({ clock: systemClock, protectedTargets: new Set(), speed: 1 })
  const model = demoModel({ cluster: () => homelab.cluster.state() })
  const hit = { title: 'Release 10.11', url: 'https://found.example/10.11', snippet: 'It is out.' }
  const jarvis = await startJarvis({
    dataDir,
    homelab,
    model,
    web: {
      engine: { place: 'a test', mostChars: 400, search: async () => ({ hits: [hit], silent: [] }) },
      async fetchSite(url): Promise<Fetched> {
        const body = Buffer.from(`<p>What ${url.host} says.</p>`)
        return { url, hops: [], status: 200, type: 'text/html', body, wireBytes: body.length }
      },
    },
  })
  const screen = await jarvis.connect()
  const { sessionId } = await screen.ask('chat:send', { message: 'open example.org and tell me what it says' })
  const answered = async () => {
    await screen.next('chat:done')
    const told = screen.received.flatMap(({ event, payload }) => (event === 'chat:token' ? [payload] : []))
    return told.map((payload) => (payload as { text: string }).text).join('')
  }
  expect(await answered()).toContain('What example.org says.')
  await screen.ask('chat:send', { sessionId, message: 'search the web for the latest jellyfin release' })
  expect(await answered()).toContain('`https://found.example/10.11`')
  await screen.ask('chat:send', { sessionId, message: 'open https://found.example/10.11' })
  expect(await answered()).toContain('What found.example says.')
  await screen.ask('chat:send', { sessionId, message: 'which containers run in docker?' })
  expect(await answered()).toContain('jarvis workbench on docker')
  expect(screen.received.filter(({ event }) => event === 'chat:confirm_needed')).toEqual([])
})

test('what the demo made is never made again, and a data dir of somebody’s own is left alone', () => {
  const dataDir = join(rootFolder(), 'demo')
  makeDemoWorkbench(dataDir)
  const policy = join(dataDir, 'policy.yaml')
  expect(readPolicy(policy)).toMatchObject({ kind: 'read', file: { workbench: { roots: [{ write: true }, {}] } } })
  const changed = '# mine\n'
  const notes = join(`${dataDir}-files`, 'compose/jellyfin.yml')
  for (const path of [policy, notes]) writeFileSync(path, changed)
  makeDemoWorkbench(dataDir)
  expect([policy, notes].map((path) => readFileSync(path, 'utf8'))).toEqual([changed, changed])
  expect(readdirSync(`${dataDir}-files`).sort()).toEqual(['compose', 'logs'])

  const own = join(rootFolder(), 'own')
  mkdirSync(own)
  writeFileSync(join(own, 'jarvis.db'), '')
  makeDemoWorkbench(own)
  expect([existsSync(join(own, 'policy.yaml')), existsSync(`${own}-files`)]).toEqual([false, false])
})
