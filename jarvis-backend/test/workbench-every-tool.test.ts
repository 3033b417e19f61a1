import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ClassifyReply, ToolInfo, ToolInput, WorkbenchReply } from 'protocol'
import { expect, type test as plainTest } from 'vitest'
import { findChromium } from '../../scripts/chromium.js'
import { testWith } from '../../scripts/test-with.js'
import { startDocker } from './fake-services/docker.ts'
import { folder, rootFolder } from './support/data-dir.ts'
import { connectMcp, createToken } from './support/mcp-client.ts'
import { serveSite } from './support/pages.ts'
import { shell } from './support/shell.ts'
import { startJarvis } from './support/start-jarvis.ts'

const test = (findChromium() === undefined ? testWith('Chromium') : testWith('bubblewrap', 'git')) as typeof plainTest

const sha = (text: string) => createHash('sha256').update(text).digest('hex')
const page = `<h1>Form</h1><input aria-label="Name"><select aria-label="Size"><option>A<option>B</select>
  <button onclick="confirm('Sure?')">Go</button><input type="file" aria-label="Photo">`

/** A JARVIS with every area of the workbench on. */
async function wholeBench() {
  const [dataDir, root] = [folder(), rootFolder()]
  const repo = join(root, 'repo')
  mkdirSync(repo)
  writeFileSync(join(root, 'a.txt'), 'one\n')
  writeFileSync(join(repo, 'b.txt'), 'b\n')
  for (const args of [
    ['init', '-q', '-b', 'main'],
    ['add', '.'],
    ['-c', 'user.name=A', '-c', 'user.email=a@lan', 'commit', '-qm', 'B'],
    ['branch', 'next'],
  ])
    execFileSync('git', ['-C', repo, ...args])
  writeFileSync(join(repo, 'b.txt'), 'c\n')
  const site = await serveSite((_, reply) => void reply.writeHead(200, { 'content-type': 'text/html' }).end(page))
  const jellyfin = { id: 'abcdef012345'.padEnd(64, '0'), name: 'jellyfin', image: 'jellyfin:10', env: [], labels: {} }
  const docker = await startDocker([{ ...jellyfin, state: 'running', logs: [[1, 'Ready.\n']] }])
  const roots = `roots: [{name: lab, path: ${root}, write: true}]`
  writeFileSync(
    join(dataDir, 'policy.yaml'),
    `workbench: {exec: true, browser: true, git: true, docker: ${docker.socket}, web: {fetch: true}, ${roots}}\n`,
  )
  const jarvis = await startJarvis({
    dataDir,
    browser: { reaching: site.reaching },
    web: {
      engine: { place: 'a test', mostChars: 400, search: async () => ({ hits: [], silent: [] }) },
      fetchSite: async (url) => {
        const body = Buffer.from('<p>Read.</p>')
        return { url, hops: [], status: 200, type: 'text/html', body, wireBytes: body.length }
      },
    },
  })
  return { jarvis, root, site }
}

/** `input`: from the results so far. */
type Row = [name: string, tier: 'green' | 'yellow' | 'red', input: ToolInput | ((said: string) => ToolInput)]
const last = (pattern: RegExp, said: string) => [...said.matchAll(pattern)].at(-1)?.[1] ?? ''
const command = (said: string) => ({ command: last(/(cmd_[a-z0-9]+)/g, said) })
const element = (words: string) => (said: string) => ({
  ref: last(new RegExp(`${words}.*?\\[(\\d+\\.\\d+)\\]`, 'g'), said),
})

/** Changes come before the reads that name what they change: a client's words out of a result are refused. */
const rowsOf = (url: string): Row[] => [
  ['run_in_docker_container', 'red', { container: 'jellyfin', command: ['ls'] }],
  ['control_docker_container', 'red', { container: 'jellyfin', act: 'stop' }],
  ['commit_files', 'red', { repo: 'lab/repo', paths: ['b.txt'], message: 'C' }],
  ['switch_branch', 'red', { repo: 'lab/repo', branch: 'next' }],
  ['read_file', 'green', { path: 'lab/a.txt' }],
  ['glob_files', 'green', { path: 'lab', pattern: '**/*' }],
  ['grep_files', 'green', { path: 'lab', pattern: 'one' }],
  ['write_file', 'yellow', { path: 'session/pictures/n.txt', content: 'n\n' }],
  [
    'edit_file',
    'red',
    { path: 'lab/a.txt', hash: sha('one\n').slice(0, 16), edits: [{ oldText: 'one', newText: 'two' }] },
  ],
  [
    'restore_files',
    'red',
    { files: [{ path: 'lab/a.txt', now: `file:${sha('two\n')}:644`, then: `file:${sha('one\n')}:644` }] },
  ],
  ['list_docker_containers', 'green', {}],
  ['get_docker_logs', 'green', { container: 'jellyfin' }],
  ['inspect_docker_container', 'green', { container: 'jellyfin' }],
  ['run_command', 'yellow', { command: 'echo three > a.txt', folder: 'lab' }],
  ['apply_changes', 'red', command],
  ['run_command', 'yellow', { command: 'while read -r line; do echo "$line"; done', background: true }],
  ['list_commands', 'green', {}],
  ['send_input', 'yellow', (said) => ({ ...command(said), text: 'hello\n' })],
  ['check_command', 'green', command],
  ['stop_command', 'yellow', command],
  ['read_git', 'green', { repo: 'lab/repo', what: 'status' }],
  ['web_search', 'green', { query: 'jellyfin release' }],
  ['web_fetch', 'green', { url: 'https://example.org/' }],
  ['open_page', 'yellow', { url }],
  ['read_page', 'green', {}],
  ['get_page_text', 'green', {}],
  ['take_screenshot', 'green', {}],
  ['wait_for_page', 'green', { text: 'Form' }],
  ['fill_field', 'yellow', (said) => ({ ...element('textbox "Name"')(said), text: 'zebra' })],
  ['select_option', 'yellow', (said) => ({ ...element('combobox "Size"')(said), position: 2 })],
  ['press_keys', 'yellow', (said) => ({ ...element('textbox "Name"')(said), keys: ['ArrowDown'] })],
  ['hover_element', 'yellow', element('button "Go"')],
  ['click_element', 'red', element('button "Go"')],
  ['accept_dialog', 'red', { tab: 1 }],
  ['upload_files', 'red', (said) => ({ ...element('button "Photo"')(said), paths: ['session/pictures/n.txt'] })],
  ['open_page', 'yellow', { url: `${url}more` }],
  ['go_back', 'yellow', { tab: 1 }],
  ['switch_tab', 'green', {}],
]

/** A person names an address in a message; a client's address is its own, and asks. */
const asksOverMcp = ['web_fetch', 'open_page']

test('every tool of the workbench works over MCP and REST by its tier: a red one waits for a person', async () => {
  const { jarvis, root, site } = await wholeBench()
  const rows = rowsOf(`${site.url}/`)
  const { areas } = (await (await jarvis.rest('/api/workbench')).json()) as WorkbenchReply
  expect(areas.filter(({ isOn, missing }) => !isOn || missing.length > 0)).toEqual([])
  const names = areas.flatMap(({ tools }) => tools).sort()
  expect([...new Set(rows.map(([name]) => name))].sort()).toEqual(names)

  const client = await connectMcp(jarvis, createToken(jarvis, { name: 'bench' }))
  const listed: string[] = []
  for (let cursor: string | undefined; ; ) {
    const { tools, nextCursor } = await client.listTools({ ...(cursor !== undefined && { cursor }) })
    listed.push(...tools.map(({ name }) => name))
    cursor = nextCursor
    if (cursor === undefined) break
  }
  expect(names.filter((name) => !listed.includes(name))).toEqual([])

  const asked: string[] = []
  const events = await jarvis.connect('/events')
  const decide = async () => {
    const { items } = (await (await jarvis.rest('/api/confirmations')).json()) as {
      items: { toolUseId: string; toolName: string; decidedAt?: number }[]
    }
    for (const { toolUseId, toolName } of items.filter(({ decidedAt }) => decidedAt === undefined)) {
      asked.push(toolName)
      await jarvis.rest(`/api/confirmations/${toolUseId}`, { method: 'POST', json: { confirmed: true } })
    }
  }
  let deciding: Promise<unknown> = Promise.resolve()
  let decides = true
  events.socket.on('changed', ({ what }: { what: string }) => {
    if (decides && what === 'confirmations') deciding = deciding.then(decide, decide)
  })

  let said = ''
  const wrong: string[] = []
  for (const [name, tier, given] of rows) {
    const input = typeof given === 'function' ? given(said) : given
    asked.length = 0
    const { isError, content } = (await client.callTool({ name, arguments: input })) as {
      isError?: boolean
      content: { type: string; text?: string }[]
    }
    const text = content.map((part) => part.text ?? '').join('\n')
    said += text
    if (isError === true || asked.join() !== (tier === 'red' || asksOverMcp.includes(name) ? name : ''))
      wrong.push(`${name}: asked ${asked.join() || 'nothing'}, ${text.slice(0, 300)}`)
  }
  decides = false
  await deciding
  expect(wrong).toEqual([])
  expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('three\n')

  for (const [name, tier, given] of rows.filter(([, , input]) => typeof input !== 'function')) {
    const info = (await (await jarvis.rest(`/api/tools/${name}`)).json()) as ToolInfo
    expect(info, name).toMatchObject({ name })
    if (['restore_files', 'edit_file', 'accept_dialog', 'go_back', 'commit_files', 'switch_branch'].includes(name))
      continue
    const reply = await jarvis.rest(`/api/tools/${name}/classify`, { method: 'POST', json: { input: given } })
    expect(((await reply.json()) as ClassifyReply).tier, name).toBe(tier)
  }

  const read = await shell(jarvis, ['call', 'read_file', 'path=lab/a.txt']).ended
  expect([read.code, read.stdout], read.stderr).toEqual([0, expect.stringContaining('1 three')])
  const write = await shell(jarvis, ['call', 'write_file', 'path=lab/new.txt', 'content=x', '--no-wait']).ended
  expect([write.code, write.stderr]).toEqual([3, expect.stringContaining('jarvis decide')])
  await events.next('changed' as never)
})
