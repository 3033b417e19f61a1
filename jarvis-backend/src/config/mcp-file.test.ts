import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AttachedServerConfig, parseAttachedServer } from 'protocol'
import { expect, onTestFinished, test } from 'vitest'
import { readMcpFile, writeMcpServer } from './mcp-file.ts'
import { sealFiles, secretsIn } from './sealed-files.ts'
import { boxOf } from './sealing.ts'

const url = 'http://127.0.0.1:9/mcp'

function dirWith(text: string, variables: Record<string, string> = {}, settings = '') {
  const dataDir = mkdtempSync(join(tmpdir(), 'jarvis-test-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  const path = join(dataDir, 'mcp.json')
  writeFileSync(path, text)
  writeFileSync(join(dataDir, 'settings.env'), settings)
  const of = { dataDir, secretKeys: {}, variables }
  return { of, text: () => readFileSync(path, 'utf8'), read: () => readMcpFile(of), box: () => boxOf(of) }
}
const read = (file: unknown, variables?: Record<string, string>, settings?: string) => {
  const { servers, problems } = dirWith(JSON.stringify(file), variables, settings).read()
  return { configs: Object.fromEntries([...servers].map(([name, { config }]) => [name, config])), problems }
}
const configOf = (entry: object): AttachedServerConfig => {
  const parsed = parseAttachedServer(entry)
  if (!parsed.ok) throw new Error(parsed.problem)
  return parsed.config
}

const http = { type: 'http', url }
const program = { type: 'stdio', command: 'srv', args: ['-y'], env: { A: '1' } }
test.each<[what: string, file: object, config: object]>([
  ['Claude and Cursor', { mcpServers: { n: { url } } }, http],
  ['VS Code', { inputs: [], servers: { n: { type: 'http', url } } }, http],
  ['VS Code’s settings', { mcp: { servers: { n: { type: 'http', url } } } }, http],
  ['Zed', { context_servers: { n: { source: 'custom', command: 'srv', args: ['-y'], env: { A: '1' } } } }, program],
  [
    'Zed’s older form',
    { context_servers: { n: { command: { path: 'srv', args: ['-y'], env: { A: 1 } }, settings: {} } } },
    program,
  ],
  ['OpenCode', { mcp: { n: { type: 'local', command: ['srv', '-y'], environment: { A: '1' } } } }, program],
  ['entries alone', { n: { url } }, http],
  ['a list', { mcpServers: [{ name: 'n', url }] }, http],
  ['streamable-http', { mcpServers: { n: { type: 'streamable-http', url } } }, http],
  ['streamableHttp', { mcpServers: { n: { type: 'streamableHttp', url } } }, http],
  ['transport', { mcpServers: { n: { transport: 'http', url } } }, http],
  ['transport sse', { mcpServers: { n: { transport: 'sse', url } } }, { type: 'sse', url }],
  ['serverUrl', { mcpServers: { n: { serverUrl: url } } }, http],
  ['httpUrl', { mcpServers: { n: { httpUrl: url } } }, http],
  [
    'an empty address beside a program',
    { mcpServers: { n: { command: 'srv', args: ['-y'], env: { A: '1' }, url: '' } } },
    program,
  ],
  ['disabled', { mcpServers: { n: { url, disabled: true } } }, { ...http, enabled: false }],
  [
    'not disabled',
    { mcpServers: { n: { url, disabled: false, description: 'notes', timeout: 60 } } },
    { ...http, enabled: true },
  ],
  [
    'a client given by hand',
    { mcpServers: { n: { url, auth: { CLIENT_ID: 'c', scopes: 'a b' } } } },
    { oauth: { clientId: 'c', scopes: ['a', 'b'] } },
  ],
])('mcp.json is read in the words of %s', (_what, file, config) => {
  const { configs, problems } = read(file)
  expect(problems).toEqual([])
  expect(configs).toEqual({ n: expect.objectContaining(config) })
})

test('what would trust a server, or choose among its tools, is not used, and is said', () => {
  const { configs, problems } = read({
    mcpServers: { n: { url, alwaysAllow: ['x'], autoApprove: ['y'], excludeTools: ['z'], envFile: '.env' } },
  })
  expect(Object.keys(configs)).toEqual(['n'])
  expect(problems).toEqual([
    'mcp.json: n: alwaysAllow is not used: each tool asks until you give it a tier here.',
    'mcp.json: n: autoApprove is not used: each tool asks until you give it a tier here.',
    'mcp.json: n: excludeTools is not used: all its tools are listed, and each asks until you give it a tier.',
    'mcp.json: n: envFile is not used.',
  ])
})

test('an entry that is enabled and disabled is off, which is said, and a change makes both say the same', () => {
  const problem =
    'mcp.json: n: enabled and disabled contradict each other, so it is off. Turn it on here, or remove one of them.'
  for (const [enabled, disabled] of [
    [true, true],
    [false, false],
  ]) {
    const file = dirWith(JSON.stringify({ mcpServers: { n: { url, enabled, disabled } } }))
    const { servers, problems } = file.read()
    const { written = configOf({ url }) } = servers.get('n') ?? {}
    expect([written.enabled, problems]).toEqual([false, [problem]])
    writeMcpServer(file.of, 'n', { ...written, enabled: true })
    expect(JSON.parse(file.text())).toEqual({ mcpServers: { n: { url, enabled: true, disabled: false } } })
    expect(file.read()).toMatchObject({ problems: [] })
  }
  expect(read({ mcpServers: { n: { url, enabled: true, disabled: false } } }).problems).toEqual([])
})

test('a bad entry loses itself alone', () => {
  const { configs, problems } = read({
    servers: {
      good: { url },
      both: { url, command: 'a' },
      word: 5,
      'no letters': { url: 'file:///x' },
      __proto__x: { type: 'ws', url },
    },
  })
  expect(Object.keys(configs)).toEqual(['good'])
  expect(problems).toEqual([
    'mcp.json: both is not used: must have either command or url.',
    'mcp.json: word is not used: must be an object with command or url.',
    'mcp.json: no-letters is not used: url: must be a URL, for example http://nas:8080/mcp.',
    'mcp.json: proto_x is not used: type: must be http or sse.',
  ])
})

test.each<[what: string, text: string]>([
  ['comments and trailing commas', `{\n  // mine\n  "mcpServers": { "n": { "url": "${url}", }, /* last */ },\n}\n`],
  ['a byte-order mark', `\ufeff{"mcpServers":{"n":{"url":"${url}"}}}`],
  ['lines of Windows', `{\r\n  "mcpServers": {\r\n    "n": { "url": "${url}" }\r\n  }\r\n}\r\n`],
])('mcp.json may have %s, and a change keeps them', (_what, text) => {
  const file = dirWith(text)
  expect(file.read()).toMatchObject({ problems: [] })
  writeMcpServer(file.of, 'n', configOf({ url, enabled: false }))
  writeMcpServer(file.of, 'm', configOf({ url }))
  expect([...file.read().servers].map(([name, { config }]) => [name, config.enabled])).toEqual([
    ['n', false],
    ['m', true],
  ])
  for (const kept of ['// mine', '/* last */', '\ufeff', '\r\n'])
    expect(file.text().includes(kept)).toBe(text.includes(kept))
  if (text.includes('\r\n')) expect(file.text()).not.toMatch(/[^\r]\n/)
})

test('a change writes its fields alone, under the names that the entry has', () => {
  const text = `{
  "inputs": [],
  "servers": {
    // notes of the house
    "My Notes": { "type": "http", "serverUrl": "${url}", "disabled": true, "x-mine": 1, "headers": { "Authorization": "Bearer \${NOTES}" } }
  }
}
`
  const file = dirWith(text, { NOTES: 'tok-123' })
  const { written = configOf({ url }) } = file.read().servers.get('My-Notes') ?? {}
  writeMcpServer(file.of, 'My-Notes', { ...written, enabled: true })
  expect(file.text()).toBe(text.replace('"disabled": true', '"disabled": false'))
  writeMcpServer(file.of, 'My-Notes', undefined)
  expect(file.text()).toContain('"servers": {')
  expect(file.read().servers.size).toBe(0)
})

const asks = (text: string) => ({ servers: { n: { type: 'http', url, headers: { 'X-Note': text } } } })
test.each<[what: string, text: string, value: string]>([
  ['a variable', `\${NOTES_TOKEN}`, 'tok-123'],
  ['VS Code’s words for one', `Bearer \${env:NOTES_TOKEN}`, 'Bearer tok-123'],
  ['a default that is not needed', `\${NOTES_TOKEN:-none}`, 'tok-123'],
  ['a default', `\${NOBODY:-none}`, 'none'],
  ['a saved setting', `\${SAVED_TOKEN}`, 'from-settings'],
  ['a value for an input', `\${input:tok-1}`, 'from-input'],
])('a placeholder is filled with %s', (_what, text, value) => {
  const settings = 'SAVED_TOKEN=from-settings\nMCP_INPUT_TOK_1=from-input\n'
  const { configs, problems } = read(asks(text), { NOTES_TOKEN: 'tok-123' }, settings)
  expect(problems).toEqual([])
  expect(configs.n).toMatchObject({ headers: { 'X-Note': value } })
})

test('an input without a saved value takes its default', () => {
  const inputs = [{ id: 'tok', type: 'promptString', default: 'from-default' }]
  expect(read({ mcp: { inputs, ...asks(`\${input:tok}`) } }).configs.n).toMatchObject({
    headers: { 'X-Note': 'from-default' },
  })
})

test.each<[what: string, text: string, problem: string]>([
  ['a variable without a value', `\${NOBODY}`, 'NOBODY has no value'],
  ['an input without one', `\${input:tok}`, `\${input:tok} is asked for nowhere: MCP_INPUT_TOK has no value`],
  ['JARVIS’s own key', `\${OPENAI_API_KEY}`, 'OPENAI_API_KEY is a setting of JARVIS’s own and is given to no server'],
  ['its own key behind a default', `\${env:JARVIS_SECRETS_KEY:-x}`, 'JARVIS_SECRETS_KEY is a setting'],
  ['what another program knows', `\${command:pick}`, `\${command:pick} cannot be filled here`],
])('a placeholder that cannot be filled loses the entry: %s', (_what, text, problem) => {
  const { configs, problems } = read({ servers: { ...asks(text).servers, other: { url } } }, { OPENAI_API_KEY: 'sk-1' })
  expect(Object.keys(configs)).toEqual(['other'])
  expect(problems).toEqual([expect.stringContaining(`n is not used: ${problem}`)])
})

test('placeholders are filled in a program, its arguments and its environment', () => {
  const entry = { command: `\${BIN}/srv`, args: [`--db=\${DB}`], env: { KEY: `\${DB}` }, cwd: `\${userHome}` }
  const { configs } = read({ mcpServers: { n: entry } }, { BIN: '/opt', DB: 'x', HOME: '/home/me' })
  expect(configs.n).toMatchObject({ command: '/opt/srv', args: ['--db=x'], env: { KEY: 'x' }, cwd: '/home/me' })
})

test('secrets are sealed in the file of any program, broken entries too, and all else stays as it is', () => {
  const text = `{
  // mine
  "servers": {
    "db": { "command": "srv", "args": ["--dsn", "postgres://u:first-secret@db/x"], "env": { "MODE": "fast", "DBPASS": "second-secret" }, },
    "web": { "serverUrl": "${url}?token=third-secret", "headers": { "Authorization": "Bearer \${NOTES}" } },
    "zed": { "command": { "path": "srv", "args": ["--password=fourth-secret"] } },
    "bad": { "command": "a", "url": "b", "env": { "TOKEN": "fifth-secret" } },
  },
  "inputs": [{ "id": "i", "password": true, "default": "sixth-secret" }],
}
`
  const file = dirWith(text, { NOTES: 'tok-123' })
  const before = file.read()
  expect(sealFiles(file.of.dataDir, file.box(), ['mcp.json']).toSorted()).toEqual([
    'mcp.json/bad/env/TOKEN',
    'mcp.json/db/args/1',
    'mcp.json/db/env/DBPASS',
    'mcp.json/inputs/i/default',
    'mcp.json/web/serverUrl',
    'mcp.json/zed/command/args/0',
  ])
  expect(file.text()).not.toContain('-secret')
  expect(file.text().replace(/"sealed:[^"]+"/g, '"…"')).toBe(text.replace(/"[^"]*-secret[^"]*"/g, '"…"'))
  expect(file.read()).toEqual(before)
  expect(secretsIn('mcp.json', file.text())?.leaves).toHaveLength(6)
})

test('a value that fills a secret place is redacted, and never written into the file', () => {
  const file = dirWith(JSON.stringify({ servers: { n: { url, headers: { Authorization: `Bearer \${NOTES}` } } } }), {
    NOTES: 'tok-123',
  })
  const entry = file.read().servers.get('n')
  expect(entry?.secrets).toEqual(expect.arrayContaining(['tok-123']))
  writeMcpServer(file.of, 'n', { ...(entry?.written ?? configOf({ url })), lazy: true })
  expect(file.text()).toContain(`Bearer \${NOTES}`)
  expect(file.text()).not.toContain('tok-123')
})

test('text that is no JSON is told by its line, never by its words', () => {
  const { problems, isBroken } = dirWith('{\n "mcpServers": { "n": { "env": { "TOKEN": "hunter2hunter2" }').read()
  expect(isBroken).toBe(true)
  expect(problems).toEqual([expect.stringMatching(/^mcp\.json is not JSON, from line 2 on\.$/)])
})
