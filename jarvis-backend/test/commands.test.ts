import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CommandData, type CommandsReply, FilesData } from 'protocol'
import { expect, onTestFinished } from 'vitest'
import { testWith } from '../../scripts/test-with.js'
import { folder, rootFolder } from './support/data-dir.ts'
import { type CallOf, calls, says, scripted } from './support/scripted-model.ts'
import { startJarvis } from './support/start-jarvis.ts'

const testHere = testWith('bubblewrap')

/** A server whose policy has one root, which may be written to. */
async function start(...turns: Parameters<typeof scripted>) {
  const dataDir = realpathSync(mkdtempSync(join(tmpdir(), 'jarvis-commands-')))
  const root = rootFolder()
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  writeFileSync(join(root, 'caddy'), 'b\na\n')
  writeFileSync(join(root, '.env'), 'TOKEN=planted-in-env\n')
  writeFileSync(
    join(dataDir, 'policy.yaml'),
    `workbench:\n  exec: true\n  egress: [example.org:443]\n  roots:\n    - name: caddy\n      path: ${root}\n      write: true\n`,
  )
  const model = scripted(...turns)
  const jarvis = await startJarvis({ model, dataDir })
  return { jarvis, root, dataDir, screen: await jarvis.connect() }
}
const run = (command: string, more: Record<string, unknown> = {}): CallOf => ['run_command', { command, ...more }]
const inRoot = { folder: 'caddy' }

/** A call whose arguments hold the id of the newest command that the model has read of. */
const aboutTheCommand =
  (toolName: string, more: Record<string, unknown> = {}): Parameters<typeof scripted>[0] =>
  (request, sink, signal) => {
    const ids = JSON.stringify(request.messages).match(/cmd_[a-z0-9]+/g) ?? []
    return calls([toolName, { command: ids.at(-1) ?? '', ...more }])(request, sink, signal)
  }

testHere('a command of a root runs once on a view; approved, exactly the bytes of its card are written', async () => {
  const { root, screen } = await start(
    calls(run('sort -o caddy caddy; cat .env; echo sorted', inRoot)),
    aboutTheCommand('apply_changes'),
    says('Done.'),
  )
  const { sessionId } = await screen.ask('chat:send', { message: 'Sort the file.' })
  expect(await screen.next('chat:tool_use')).toMatchObject({ view: 'command' })
  const result = await screen.next('chat:tool_result')
  expect(result).toMatchObject({ isError: false, summary: 'exit code 0, would change 1 file' })
  const drawn = {
    status: 'ended',
    folder: 'caddy',
    level: 'full',
    words: 'exit code 0',
    files: 'would change 1 file',
    asked: [],
  }
  expect(CommandData.parse(result.data)).toMatchObject(drawn)
  expect(JSON.stringify(result)).not.toContain('planted-in-env')
  const card = await screen.next('chat:confirm_needed')
  expect(card).toMatchObject({
    toolName: 'apply_changes',
    reason: expect.stringContaining('The model chose this command: nobody named its id.') as string,
    now: expect.stringContaining('sandbox: full') as string,
    then: 'this file, as shown; nothing is run again.',
    undo: { kind: 'call', sentence: expect.stringContaining('caddy/caddy') as string },
    diff: [{ path: 'caddy/caddy', change: 'changed', added: 1, removed: 1 }],
  })
  expect(readFileSync(join(root, 'caddy'), 'utf8')).toBe('b\na\n')
  await screen.ask('chat:confirm', { sessionId, toolUseId: card.toolUseId, confirmed: true })
  const applied = await screen.next('chat:tool_result')
  expect(applied).toMatchObject({ isError: false, summary: '1 file changed' })
  expect(FilesData.parse(applied.data).diff).toMatchObject([{ path: 'caddy/caddy', left: 0 }])
  expect(readFileSync(join(root, 'caddy'), 'utf8')).toBe('a\nb\n')
  await screen.next('chat:done')

  await screen.ask('chat:send', { sessionId, message: `/undo change=${card.toolUseId}` })
  const undo = await screen.next('chat:confirm_needed')
  await screen.ask('chat:confirm', { sessionId, toolUseId: undo.toolUseId, confirmed: true })
  expect(await screen.next('chat:tool_result')).toMatchObject({ isError: false })
  expect(readFileSync(join(root, 'caddy'), 'utf8')).toBe('b\na\n')
})

testHere(
  'under the profile permissive what a command would change asks too, where nobody named the command',
  async () => {
    const { jarvis, root, screen } = await start(
      calls(run('sort -o caddy caddy', inRoot)),
      aboutTheCommand('apply_changes'),
      says('Well.'),
    )
    await jarvis.stepUp(jarvis.token('operator'))
    expect((await jarvis.rest('/api/settings', { method: 'PUT', json: { profile: 'permissive' } })).status).toBe(200)
    const { sessionId } = await screen.ask('chat:send', { message: 'Sort the file.' })
    const card = await screen.next('chat:confirm_needed')
    expect(card).toMatchObject({ toolName: 'apply_changes', tier: 'red', rule: 'taint' })
    expect(card.reason).toContain('The model chose this command: nobody named its id.')
    expect(card.reason).not.toContain('repeats text')
    await screen.ask('chat:confirm', { sessionId, toolUseId: card.toolUseId, confirmed: false })
    await screen.next('chat:done')
    expect(readFileSync(join(root, 'caddy'), 'utf8')).toBe('b\na\n')
  },
)

testHere('a file that moved meanwhile withdraws the card, and a new one says what would be lost', async () => {
  const { root, screen } = await start(
    calls(run('sort -o caddy caddy', inRoot)),
    aboutTheCommand('apply_changes'),
    says('Done.'),
  )
  const { sessionId } = await screen.ask('chat:send', { message: 'Sort the file.' })
  const first = await screen.next('chat:confirm_needed')
  writeFileSync(join(root, 'caddy'), 'another\n')
  const decided = { sessionId, toolUseId: first.toolUseId, confirmed: true }
  expect(await screen.request('chat:confirm', decided)).toMatchObject({ ok: false, error: { code: 'expired' } })
  const second = await screen.next('chat:confirm_needed')
  expect(second.then).toContain('something else changed "caddy/caddy"')
  // A grant for the folder would lose it unseen.
  expect([first.scope, second.scope]).toEqual([undefined, undefined])
  expect(readFileSync(join(root, 'caddy'), 'utf8')).toBe('another\n')
  await screen.ask('chat:confirm', { sessionId, toolUseId: second.toolUseId, confirmed: true })
  expect(await screen.next('chat:tool_result')).toMatchObject({ summary: 'exit code 0, would change 1 file' })
  expect(await screen.next('chat:tool_result')).toMatchObject({ isError: false })
  expect(readFileSync(join(root, 'caddy'), 'utf8')).toBe('a\nb\n')
})

testHere('in the conversation’s own folder a command keeps what it changed, where it ends with 0', async () => {
  const { dataDir, screen } = await start(
    calls(run('echo one > a; echo two > b')),
    calls(run('echo three > c; exit 3')),
    calls(run('ls; cat a')),
    says('Done.'),
  )
  const { sessionId } = await screen.ask('chat:send', { message: 'Write.' })
  expect(await screen.next('chat:tool_result')).toMatchObject({ summary: 'exit code 0, changed 2 files' })
  expect(await screen.next('chat:tool_result')).toMatchObject({
    summary: 'exit code 3, would change 1 file',
    isError: true,
  })
  expect(await screen.next('chat:tool_result')).toMatchObject({ summary: 'exit code 0, changed no file' })
  expect(readFileSync(join(dataDir, 'workbench', sessionId, 'a'), 'utf8')).toBe('one\n')
  expect(existsSync(join(dataDir, 'workbench', sessionId, 'c'))).toBe(false)
  await screen.next('chat:done')
})

testHere('a command in the background is seen, fed and stopped, and is the conversation’s alone', async () => {
  const { jarvis, screen } = await start(
    calls(run('while read -r line; do echo "got $line"; done', { background: true })),
    aboutTheCommand('send_input', { text: 'hello\n' }),
    aboutTheCommand('check_command', { wait: 0.5 }),
    aboutTheCommand('stop_command'),
    says('Done.'),
    aboutTheCommand('check_command'),
    says('None.'),
  )
  const { sessionId } = await screen.ask('chat:send', { message: 'Start it.' })
  expect(await screen.next('chat:tool_result')).toMatchObject({ summary: 'runs in the background' })
  const reply = async () => (await (await jarvis.rest(`/api/sessions/${sessionId}/commands`)).json()) as CommandsReply
  const {
    items: [row],
  } = await reply()
  const { toolUseId } = await screen.next('chat:tool_use')
  expect(row).toMatchObject({ toolUseId, status: 'running', isBackground: true, level: 'full' })
  expect(await screen.next('chat:tool_result')).toMatchObject({ summary: 'written' })
  expect(await screen.next('chat:tool_result')).toMatchObject({ summary: 'still running' })
  expect(await screen.next('chat:tool_result')).toMatchObject({ summary: 'stopped' })
  await screen.next('chat:done')
  expect((await reply()).items).toMatchObject([{ status: 'ended', words: 'stopped', lastLines: ['got hello'] }])
  const other = await screen.ask('chat:send', { message: `Look at ${row?.id}` })
  expect(other.sessionId).not.toBe(sessionId)
  expect(await screen.next('chat:tool_result')).toMatchObject({ isError: true })
})

testHere(
  'of a long output the first and the last are shown once it has ended, and the log says where it ends',
  async () => {
    const { screen } = await start(
      calls(run('echo FIRST; yes "a line of it" | head -c 6000000; echo; echo LAST')),
      aboutTheCommand('check_command'),
      aboutTheCommand('check_command', { line: 403_290 }),
      says('Done.'),
    )
    await screen.ask('chat:send', { message: 'Run it.' })
    for (let i = 0; i < 2; i++) {
      const { result } = await screen.next('chat:tool_result')
      expect(result.length).toBeLessThan(110_000)
      const [, first = '', left, last = ''] =
        /\noutput:\n(FIRST\n.*)\n… (\d+) bytes left out …\n(.*\nLAST\n?)$/s.exec(result) ?? []
      expect(first.length + Number(left) + last.length).toBe(6_000_000 + 'FIRST\n\nLAST\n'.length)
    }
    const { result } = await screen.next('chat:tool_result')
    expect(result).toMatch(/\na line of it\n.*… 7\d{5} bytes more were printed; the log holds the first 5 MB …\n?$/s)
  },
)

testHere('who looks at a session’s commands is told once that there is more to see', async () => {
  const { jarvis, screen } = await start(
    calls(run('read -r line; echo "got $line"; read -r line; echo "and $line"', { background: true })),
    aboutTheCommand('send_input', { text: 'one\n' }),
    aboutTheCommand('check_command', { wait: 0.5 }),
    says('Well.'),
    aboutTheCommand('send_input', { text: 'two\n' }),
    says('Done.'),
  )
  const events = await jarvis.connect('/events')
  const { sessionId } = await screen.ask('chat:send', { message: 'Run it.' })
  await screen.next('chat:done')
  const look = async () => JSON.stringify(await (await jarvis.rest(`/api/sessions/${sessionId}/commands`)).json())
  const told = () => events.received.filter(({ payload }) => payload.what === 'commands').length
  // It began and printed before anybody looked.
  expect(told()).toBe(0)
  expect(await look()).toContain('got one')
  await screen.ask('chat:send', { sessionId, message: 'Go on.' })
  while (told() === 0) await events.next('changed' as never)
  while (!(await look()).includes('and two')) await events.next('changed' as never)
  await screen.next('chat:done')
})

const refusals: [what: string, call: CallOf, because: RegExp][] = [
  ['sudo', run('ls; sudo reboot'), /root’s rights/],
  ['Docker’s socket', run('curl --unix-socket /var/run/docker.sock http://x/'), /root’s rights/],
  ['a place that is not listed', run('curl https://evil.example', { egress: ['evil.example:443'] }), /does not list/],
  ['a folder outside the roots', run('ls', { folder: '/etc' }), /outside the roots/],
  ['a way up', run('ls', { folder: 'caddy/..' }), /outside the roots/],
  ['JARVIS’s own data', run('ls', { folder: 'caddy/.jarvis.env' }), /secret|hidden/],
]
testHere('what no command may do is refused with the reason', async () => {
  const { screen } = await start(...refusals.map(([, call]) => calls(call)), says('No.'))
  await screen.ask('chat:send', { message: 'Try.' })
  for (const [what, , because] of refusals) {
    const blocked = await screen.next('chat:blocked')
    expect(blocked.reason, what).toMatch(because)
  }
  await screen.next('chat:done')
})

testHere('a way out of the sandbox asks, and its card names the place', async () => {
  const { screen } = await start(calls(run('true', { ...inRoot, egress: ['example.org:443'] })), says('No.'))
  const { sessionId } = await screen.ask('chat:send', {
    message: 'In the root caddy, run true with a way to example.org:443.',
  })
  const card = await screen.next('chat:confirm_needed')
  expect(card.reason).toContain('example.org:443')
  await screen.ask('chat:confirm', { sessionId, toolUseId: card.toolUseId, confirmed: false })
  await screen.next('chat:done')
})

testHere(
  'the way out leads to what was listed alone, and the card of its changes names what else it asked for',
  async () => {
    const seen: string[] = []
    const site = createServer((asked, reply) => {
      seen.push(`${asked.headers.host} ${asked.url}`)
      reply.end('reached\n')
    }).listen(0, '127.0.0.1')
    await once(site, 'listening')
    onTestFinished(() => void site.close())
    const { port } = site.address() as AddressInfo
    const places = ['site.test', 'home.test', 'twice.test'].map((host) => `${host}:${port}`)
    let looks = 0
    const addresses: Record<string, () => string> = {
      'site.test': () => '127.0.0.1',
      'home.test': () => '192.168.1.1',
      // Public when it is asked for first, and of this network afterwards.
      'twice.test': () => (looks++ === 0 ? '127.0.0.1' : '127.0.0.2'),
    }
    const [dataDir, root] = [folder(), rootFolder()]
    writeFileSync(
      join(dataDir, 'policy.yaml'),
      `workbench: {exec: true, egress: ['${places.join("', '")}'], roots: [{name: lab, path: ${root}, write: true}]}\n`,
    )
    const command = `get() { curl -s -m 5 -w '%{http_code}\\n' "$@"; }
    raw() { exec 3<>/dev/tcp/127.0.0.1/3128; printf "$1 HTTP/1.1\\r\\nHost: other.test\\r\\nConnection: close\\r\\n\\r\\n" >&3; head -1 <&3; exec 3>&-; }
    get http://site.test:${port}/ok
    get http://other.test/secret
    get http://home.test:${port}/
    get http://twice.test:${port}/first
    get http://twice.test:${port}/second
    get --noproxy '*' http://127.0.0.1:${port}/around
    raw 'CONNECT site.test:${port}@other.test:443'
    raw 'CONNECT site.test%%00.other.test:${port}'
    raw 'CONNECT 2130706433:${port}'
    raw 'GET http://site.test:${port}/named'
    echo done > told`
    const model = scripted(
      calls(run(command, { folder: 'lab', egress: places })),
      aboutTheCommand('apply_changes'),
      says('Done.'),
    )
    const reaching = {
      resolve: async (host: string) => [addresses[host]?.() ?? ''],
      isAllowed: (address: string) => address === '127.0.0.1',
    }
    const jarvis = await startJarvis({ model, dataDir, browser: { reaching } })
    const screen = await jarvis.connect()
    const { sessionId } = await screen.ask('chat:send', { message: `Look at ${places.join(' and ')} from lab.` })
    const card = await screen.next('chat:confirm_needed')
    for (const place of places) expect(card.reason + card.sentence).toContain(place)
    await screen.ask('chat:confirm', { sessionId, toolUseId: card.toolUseId, confirmed: true })
    const { result } = await screen.next('chat:tool_result')
    const output = result.slice(result.indexOf('output:\n') + 8).split('\n')
    expect(
      output
        .map((line) => /reached|^\d{3}$|^HTTP\/1.1 \d{3}|not on the list|not a public/.exec(line)?.[0])
        .filter(Boolean),
    ).toEqual([
      ...['reached', '200'],
      ...['not on the list', '403', 'not a public', '403', 'reached', '200', 'not a public', '403', '000'],
      ...['HTTP/1.1 403', 'HTTP/1.1 403', 'HTTP/1.1 403', 'HTTP/1.1 200'],
    ])
    expect(seen).toEqual([`site.test:${port} /ok`, `twice.test:${port} /first`, `site.test:${port} /named`])
    const apply = await screen.next('chat:confirm_needed')
    expect(apply.now).toContain(`It asked in vain for "other.test:80", "home.test:${port}", "twice.test:${port}".`)
    await screen.ask('chat:confirm', { sessionId, toolUseId: apply.toolUseId, confirmed: false })
    await screen.next('chat:done')
  },
)

testHere(
  'a command that asks runs with the files of its card, and another content of any file asks again',
  async () => {
    const egress = { egress: ['example.org:443'] }
    const { dataDir, screen } = await start(
      calls(['write_file', { path: 'session/run.sh', content: '. ./lib.sh\necho "$from" seen\n' }]),
      calls(['write_file', { path: 'session/lib.sh', content: 'from=lib\n' }]),
      calls(run('sh run.sh; echo more >> lib.sh', egress)),
      says('Done.'),
    )
    const { sessionId } = await screen.ask('chat:send', { message: 'Write it, and run it.' })
    const first = await screen.next('chat:confirm_needed')
    expect(first).toMatchObject({
      effect: { kind: 'execute' },
      now: 'A view of "session" that is thrown away. It runs with the 2 files that it names, as shown. A change of any file in the folder asks again.',
      diff: [
        { path: 'session/run.sh', change: 'named', lines: [' . ./lib.sh', ' echo "$from" seen', ' '] },
        { path: 'session/lib.sh', change: 'named', lines: [' from=lib', ' '] },
      ],
    })
    const at = (name: string) => join(dataDir, 'workbench', sessionId, name)
    const approve = (card: { toolUseId: string }) =>
      screen.request('chat:confirm', { sessionId, toolUseId: card.toolUseId, confirmed: true })
    writeFileSync(at('lib.sh'), 'from=other\n')
    expect(await approve(first)).toMatchObject({ ok: false, error: { code: 'expired' } })
    const second = await screen.next('chat:confirm_needed')
    expect(second).toMatchObject({ changed: expect.stringContaining('Its file "lib.sh" has changed') as string })
    expect(second.diff?.[1]?.lines).toEqual([' from=other', ' '])
    // A file that nothing names may be one that a name is made of.
    writeFileSync(at('new'), '')
    expect(await approve(second)).toMatchObject({ ok: false })
    const third = await screen.next('chat:confirm_needed')
    expect(third.changed).toBe('Its folder has changed since the card was shown.')
    expect(await approve(third)).toMatchObject({ ok: true })
    await screen.next('chat:done')
    const ran = screen.received.findLast(({ event }) => event === 'chat:tool_result')?.payload
    expect(ran).toMatchObject({ isError: false, summary: 'exit code 0, changed 1 file' })
    expect(String(ran?.result)).toContain('other seen')
    expect(readFileSync(at('lib.sh'), 'utf8')).toBe('from=other\nmore\n')
  },
)
