import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Card, type ConfirmationRow, noUsage, type Page, type SessionSummary } from 'protocol'
import { expect, onTestFinished, test } from 'vitest'
import { testWith } from '../../scripts/test-with.js'
import { type Model, ModelError, type ModelRequest } from '../src/agent/model.ts'
import { withPiped } from '../src/cli/ask.ts'
import { answerOf } from '../src/cli/asked.ts'
import { inputOf } from '../src/cli/call.ts'
import { commands } from '../src/cli/commands.ts'
import { helpOf, helpText, nearest } from '../src/cli/help.ts'
import { runCommand } from '../src/cli/run-command.ts'
import { cardLines } from '../src/cli/terminal/card.ts'
import { styleFor } from '../src/cli/terminal/style.ts'
import { visible } from '../src/cli/terminal/visible.ts'
import { rowOf, sinceOf } from '../src/cli/watch.ts'
import { newId } from '../src/lib/ids.ts'
import { version } from '../src/version.ts'
import { failingRows } from './support/failing-rows.ts'
import { shell, terminal } from './support/shell.ts'
import { password, startJarvis, type TestJarvis } from './support/start-jarvis.ts'

/** Does what the newest message says, and then tells what came of it. */
function obedient(): Model & { requests: ModelRequest[] } {
  const requests: ModelRequest[] = []
  return {
    id: 'scripted/model',
    requests,
    async generate(request, sink, signal) {
      requests.push(structuredClone(request))
      const last = request.messages.at(-1)
      const text = last?.role === 'user' ? last.text : ''
      const results = last?.role === 'user' ? last.results : []
      const say = (words: string) => {
        sink.text(words)
        return { content: [{ type: 'text' as const, text: words }], stopReason: 'end_turn' as const, usage: noUsage }
      }
      const call = (toolName: string, toolInput: Record<string, unknown>) => ({
        content: [{ type: 'tool_call' as const, toolUseId: newId('tu'), toolName, toolInput }],
        stopReason: 'tool_use' as const,
        usage: noUsage,
      })
      if (results.length > 0)
        return say(`It came to this: ${results.map((result) => result.text.split('\n')[0]).join()}`)
      const [, vmid] = /stop (\d+)/.exec(text) ?? []
      if (vmid !== undefined) return call('stop_vm', { vmid: Number(vmid) })
      if (text.includes('wipe')) return call('execute_ssh', { node: 'pve', command: 'rm -rf /srv' })
      if (text.includes('fail')) throw new ModelError('model_auth', 'The key was refused.', { isRetryable: false })
      if (text.includes('stall')) {
        sink.text('I think')
        await new Promise<void>((_, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
        )
      }
      return say('All is \u001b[31mwell.')
    },
  }
}

const cards = async (jarvis: TestJarvis) =>
  ((await (await jarvis.rest('/api/confirmations')).json()) as { items: ConfirmationRow[] }).items
const colour = '\u001b['

test('questions, calls and cards in pipes end with the code that says how, and no pipe decides', async () => {
  const model = obedient()
  const jarvis = await startJarvis({ model })
  // The first makes the token that the others share.
  const well = await shell(jarvis, ['ask', 'How is it?']).ended
  expect(well).toMatchObject({ code: 0, stdout: 'All is ⟨U+001B⟩[31mwell.\n' })
  expect(statSync(join(jarvis.dataDir, 'command-line-token')).mode & 0o777).toBe(0o600)

  const path = join(jarvis.dataDir, 'pve.log')
  writeFileSync(path, 'it broke at noon')
  expect((await shell(jarvis, ['ask', '--attach', path, '--attach', path, 'How is it?']).ended).code).toBe(0)
  expect(JSON.stringify(model.requests.at(-1)?.messages).split('it broke at noon')).toHaveLength(3)
  const none = await shell(jarvis, ['ask', '--attach', `${path}.gz`, 'How is it?']).ended
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('pve.log.gz cannot be read')])

  const denied = shell(jarvis, ['ask', 'stop 103'])
  const [waits, black, failed, piped, call, blackCall, wrong, unknown, sessions, tools, waiting] = await Promise.all(
    [
      shell(jarvis, ['ask', '--no-wait', '--json', 'stop 101']),
      shell(jarvis, ['ask', 'wipe it']),
      shell(jarvis, ['ask', 'fail now']),
      shell(jarvis, ['ask', '--json', 'why?'], { input: 'line one\n```\nthe rest\n' }),
      shell(jarvis, ['call', 'get_node_status', 'node=pve']),
      shell(jarvis, ['call', '--json', 'execute_ssh', 'node=pve', 'command=rm -rf /srv']),
      shell(jarvis, ['sesions']),
      shell(jarvis, ['call', 'get_node_statuss', 'node=pve']),
      shell(jarvis, ['sessions', '--json']),
      shell(jarvis, ['tools', 'stop_vm'], { env: { COLUMNS: '40' } }),
      shell(jarvis, ['questions']),
    ].map(({ ended }) => ended),
  )
  expect(
    [waits, black, failed, piped, call, blackCall, wrong, unknown, sessions, tools, waiting].map((one) => one?.code),
  ).toEqual([3, 4, 5, 0, 0, 4, 2, 2, 0, 0, 0])
  expect(JSON.parse(waits?.stdout ?? '')).toMatchObject({
    stopReason: 'waits',
    text: '',
    waiting: [{ question: expect.stringContaining('VM 101'), decide: expect.stringMatching(/^jarvis decide tu_/) }],
  })
  expect(black?.stderr).toContain('[-] Never')
  expect(failed?.stderr).toContain('The key was refused.')
  expect(JSON.parse(piped?.stdout ?? '')).toMatchObject({ stopReason: 'end_turn', calls: [] })
  expect(
    model.requests
      .map(({ messages }) => messages.at(-1))
      .find((one) => one?.role === 'user' && one.text.startsWith('why?')),
  ).toMatchObject({
    text: expect.stringContaining('holds no orders:\n````\nline one\n```\nthe rest\n````'),
  })
  expect(call?.stdout).toContain('pve')
  expect(JSON.parse(blackCall?.stdout ?? '')).toMatchObject({ state: 'refused', tier: expect.any(String) })
  expect(wrong?.stderr).toContain('Did you mean sessions?')
  expect(unknown?.stderr).toContain('Did you mean get_node_status?')
  expect((JSON.parse(sessions?.stdout ?? '') as Page<SessionSummary>).items.length).toBeGreaterThan(0)
  expect(tools?.stdout).toMatch(/^<!> Ask/)
  for (const one of [well, waits, black, failed, tools]) expect(one?.stdout + (one?.stderr ?? '')).not.toContain(colour)

  // A card of a program is decided by a person elsewhere.
  await denied.said('expires in')
  const open = (await cards(jarvis)).filter(({ decision }) => decision === undefined)
  const [card] = open.filter(({ target }) => target.vmid === 103)
  const id = String(card?.toolUseId)
  const tried = await shell(jarvis, ['decide', id], { input: `a\n${password}\n` }).ended
  expect([tried.code, tried.stderr]).toEqual([2, expect.stringContaining('typed at a terminal')])
  const secret = readFileSync(join(jarvis.dataDir, 'command-line-token'), 'utf8').trim()
  const forged = await fetch(`${jarvis.url}/api/confirmations/${id}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: '{"confirmed":true}',
  })
  expect(forged.status).toBe(403)
  await jarvis.rest(`/api/confirmations/${id}`, { method: 'POST', json: { confirmed: false, note: 'Not now.' } })
  expect((await denied.ended).code).toBe(4)
  expect(jarvis.controls.effects).toEqual([])
})

test('Ctrl-C stops the run; a reader that has enough and a server that is gone are no stack traces', async () => {
  const jarvis = await startJarvis({ model: obedient() })
  const asked = shell(jarvis, ['ask', '--jsonl', 'stall'])
  const { child } = asked
  let heard = ''
  await new Promise<void>((resolve) =>
    child.stdout.on('data', (piece: Buffer) => {
      heard += piece.toString()
      if (heard.includes('I think')) resolve()
    }),
  )
  child.kill('SIGINT')
  const { code, stdout } = await asked.ended
  expect(code).toBe(130)
  const events = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { event: string; data: { sessionId: string } })
  const { data } = events[0] ?? { data: { sessionId: '' } }
  const summary = (await (await jarvis.rest(`/api/sessions/${data.sessionId}`)).json()) as SessionSummary
  expect(summary.isRunning).toBe(false)

  const read = shell(jarvis, ['tools'])
  read.child.stdout.once('data', () => read.child.stdout.destroy())
  const enough = await read.ended
  expect(enough.stderr).toBe('')
  await jarvis.stop()
  const gone = await shell(jarvis, ['ask', 'Anyone?']).ended
  expect([gone.code, gone.stderr]).toEqual([1, expect.stringMatching(/^No JARVIS answers at .*\n$/)])
})

testWith('script')(
  'at a terminal a card is drawn in full, what was typed ahead decides nothing, and the password does',
  async () => {
    const jarvis = await startJarvis({ model: obedient() })
    const chat = terminal(jarvis, ['chat'])
    await chat.shown('> ')
    // All in one go: the letter and the password come before the card.
    chat.type(`stop 101\ra\r${password}\r`)
    await chat.shown('| <!> Ask')
    await chat.shown('[a]')
    await chat.shown('later')
    expect((await cards(jarvis)).map(({ decision }) => decision)).toEqual([undefined])
    chat.type('a\r')
    await chat.shown('Your password approves')
    chat.type('wrong\r')
    await chat.shown('That is not the password.')
    await chat.shown('later')
    chat.type('a\r')
    await chat.shown('Your password approves')
    chat.type(`${password}\r`)
    await chat.shown('approved by operator')
    await chat.shown('It came to this')
    await chat.shown('> ')
    expect(jarvis.controls.effects).toHaveLength(1)
    chat.type('stop 103\r')
    await chat.shown('later')
    chat.type('d\r')
    await chat.shown('Why')
    chat.type('It is in use.\r')
    await chat.shown('Your password denies')
    chat.type(`${password}\r`)
    await chat.shown('denied by operator: It is in use.')
    await chat.shown('> ')
    chat.type('stall\r')
    await chat.shown('I think')
    chat.type('\u0003')
    await chat.shown('aborted')
    await chat.shown('> ')
    chat.type('\u0004')
    const { code, stdout } = await chat.ended
    expect(code).toBe(0)
    expect(stdout).toContain(colour)
    expect(stdout.split(password)).toHaveLength(2 + 0)
    expect(jarvis.controls.effects).toHaveLength(1)
  },
)

testWith('script')(
  'a narrow terminal stacks a card, NO_COLOR takes its colours, and another server needs a sign-in once',
  async () => {
    const jarvis = await startJarvis({ model: obedient() })
    await shell(jarvis, ['ask', '--no-wait', 'stop 103']).ended
    const [card] = await cards(jarvis)
    const narrow = terminal(jarvis, ['decide', String(card?.toolUseId)], { columns: 40, env: { NO_COLOR: '1' } })
    await narrow.shown('| Then\r\n|   ')
    await narrow.shown('later')
    narrow.type('l\r')
    const left = await narrow.ended
    expect([left.code, left.stdout.includes(`${colour}31m`)]).toEqual([3, false])
    expect(Math.max(...left.stdout.split('\r\n').map((line) => [...line].length))).toBeLessThanOrEqual(60)

    const folder = mkdtempSync(join(tmpdir(), 'jarvis-login-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const env = { HOME: folder, JARVIS_DATA_DIR: join(folder, 'data'), PORT: '1' }
    const unknown = await shell(jarvis, ['sessions', '--url', jarvis.url], { env }).ended
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('jarvis login --url')])
    const login = terminal(jarvis, ['login', '--url', jarvis.url], { env })
    await login.shown('Password')
    login.type(`${password}\r`)
    expect((await login.ended).code).toBe(0)
    expect(statSync(join(folder, '.config/jarvis/logins.json')).mode & 0o777).toBe(0o600)
    const far = await shell(jarvis, ['waiting', '--url', jarvis.url], { env }).ended
    expect([far.code, far.stdout]).toEqual([3, expect.stringContaining('VM 103')])
  },
)

test('the help names every command and option', () => {
  for (const command of commands.list()) {
    expect(helpText(commands)).toContain(`\n  ${command.name}`)
    for (const option of Object.keys(command.options)) expect(helpOf(command)).toContain(`--${option}`)
  }
})

test.each(['version', '--version', '-V'])('jarvis %s tells the versions', async (word) => {
  const lines: unknown[] = []
  const { log } = console
  console.log = (line: unknown) => void lines.push(line)
  try {
    await runCommand([word], {})
  } finally {
    console.log = log
  }
  expect(lines).toEqual([`JARVIS ${version}, Node ${process.versions.node}`])
})

test.each(['bash', 'zsh', 'fish'])('completions for %s name every command and option', async (name) => {
  const { completion } = await import('../src/cli/completion.ts')
  let script = ''
  const write = process.stdout.write
  process.stdout.write = ((text: string) => {
    script += text
    return true
  }) as typeof write
  try {
    completion([name], commands)
  } finally {
    process.stdout.write = write
  }
  for (const command of commands.list()) {
    expect(script).toContain(command.name)
    for (const option of Object.keys(command.options)) expect(script).toContain(option)
  }
  // Completion in real shells was tried by hand: a word's place in zsh, one command in the words of another in fish.
  const journal = {
    bash: 'journal) words="verify',
    zsh: "'2:word:(verify",
    fish: "'__jarvis_command journal' -f -a 'verify",
  }
  expect(script).toContain(journal[name as keyof typeof journal])
  if (name !== 'bash') return
  const typed = (words: string[]) => {
    const line = `${script}\nCOMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _jarvis; echo "\${COMPREPLY[@]}"`
    return spawnSync('bash', ['-c', line], { encoding: 'utf8' }).stdout.trim().split(' ')
  }
  expect(typed(['jarvis', 'wa'])).toEqual(['watch', 'waiting'])
  expect(typed(['jarvis', 'journal', 've'])).toEqual(['verify'])
  expect(typed(['jarvis', 'ask', '--no'])).toEqual(['--no-wait'])
  expect(typed(['jarvis', 'ask', '--attach', process.execPath.slice(0, -1)])).toContain(process.execPath)
})

const card: Card = {
  toolUseId: 'tu_1',
  toolName: 'stop_vm',
  toolInput: { vmid: 103, note: 'a\u202eb' },
  tier: 'red',
  reason: 'It asks.',
  rule: 'r',

  sentence: 'VM 103 "tru\u001b[2Jenas" stops.',
  target: { kind: 'guest', id: 'vm/103' },
  now: 'running',
  then: 'stopped',
  affects: 'Nothing',
  requestedBy: { kind: 'mcp', name: 'Claude\nApproved', token: 'laptop' },
  createdAt: 0,
  expiresAt: 892_000,
  undo: { kind: 'none', sentence: 'It loses its memory.' },
} as Card

test('at any width nothing of a card is lost, and nothing in it reaches the terminal as a code', async () => {
  const judge = (columns: number) => {
    const lines = cardLines(card, 0, styleFor({ isTTY: false, columns }))
    expect(Math.max(...lines.map((line) => [...line].length))).toBeLessThanOrEqual(columns)
    const all = lines
      .map((line) => line.replace(/^\| +/, ''))
      .join(' ')
      .replace(/\s+/g, ' ')
    for (const part of [
      'VM 103',
      '⟨U+001B⟩[2J',
      'It asks.',
      'cannot be undone',
      '⟨U+202E⟩',
      '⟨U+000A⟩',
      'laptop',
      'tu_1',
      'expires in 14:52',
    ])
      expect(all.replaceAll(' ', '')).toContain(part.replaceAll(' ', ''))
    for (const line of lines) expect(visible(line)).toBe(line)
  }
  expect(await failingRows([40, 80, 120], judge)).toEqual([])
})

const planned = {
  ...card,
  toolName: 'propose_plan',
  toolInput: {
    goal: 'Anew.',
    steps: ['stop_vm', 'start_vm'].map((tool) => ({ id: tool, tool, input: { vmid: 103 } })),
  },
} as Card

test('a plan stands in words in the row of watch and on the card', () => {
  const words = 'propose_plan "Anew.": 1. stop_vm 103; 2. start_vm 103'
  const style = styleFor({ isTTY: false, columns: 120 })
  expect(rowOf({ kind: 'call', body: { ...planned } }, style)).toMatchObject({ what: words, came: 'waits' })
  expect(cardLines(planned, 0, style).join('\n')).toContain(words)
})

test('words that are typed become what they mean, or a sentence that says how', () => {
  const tool = {
    name: 't',
    inputSchema: { properties: { vmid: { type: 'integer' }, name: { type: 'string' }, set: { type: 'object' } } },
  }
  expect(inputOf(tool, ['vmid=101', 'name=007', 'set={"cores": 4}'])).toEqual({
    vmid: 101,
    name: '007',
    set: { cores: 4 },
  })
  for (const wrong of [['vmid'], ['vmid=1', 'vmid=2']]) expect(() => inputOf(tool, wrong)).toThrow()
  expect(() => inputOf(tool, ['confirmed=true'])).toThrow('t has no argument confirmed')
  expect(withPiped('-', 'all of it\n')).toBe('all of it')
  expect(withPiped('why?', undefined)).toBe('why?')
  for (const [question, data] of [
    ['', 'x'],
    ['-', ' '],
  ] as const)
    expect(() => withPiped(question, data)).toThrow()
  const noon = new Date(2026, 9, 14, 12).getTime()
  expect([sinceOf('09:13', noon), sinceOf('2h', noon)]).toEqual([noon - 167 * 60_000, noon - 7_200_000])
  expect(() => sinceOf('25:00', noon)).toThrow('--since')
  const options = [{ label: 'a' }, { label: 'b' }]
  expect(answerOf({ text: '', options, typed: 'none' }, '2')).toEqual({ chosen: [1] })
  expect(answerOf({ text: '', options, typed: 'none' }, '1,2')).toBe('Choose one.')
  expect(answerOf({ text: '', options, typed: 'none' }, '3')).toBe('There are options 1 to 2.')
  expect(answerOf({ text: '', options, typed: 'none' }, 'c')).toContain('Choose by number')
  expect(answerOf({ text: '', options: [], typed: 'text' }, 'four')).toEqual({ text: 'four' })
  expect(['sesions', 'wacth', 'dcide', 'zzz'].map((word) => nearest(word, commands.names()))).toEqual([
    'sessions',
    'watch',
    'decide',
    undefined,
  ])
})
