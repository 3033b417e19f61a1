import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import type { PlanRun, QuestionsReply } from 'protocol'
import { expect, onTestFinished } from 'vitest'
import { testWith } from '../../scripts/test-with.js'
import { commands } from '../src/cli/commands.ts'
import { commandHere } from './support/command-here.ts'
import { says, scripted } from './support/scripted-model.ts'
import { type Level, setLevel } from './support/set-level.ts'
import { type Ended, shell, terminal } from './support/shell.ts'
import { password, startJarvis, type TestJarvis } from './support/start-jarvis.ts'
import { obedient } from './support/v1-model.ts'

const runbook = `---
name: A level
inputs:
  vmid: { type: guest }
---
## 1. Set it
tool: set_level
args: { vmid: $vmid, to: 9 }
`
const question =
  'call ask_operator {"questions":[{"question":"Which pool?","options":[{"label":"tank"},{"label":"fast"}]}]}'

/** A server on which a tool was called, a plan was done and a question waits, and a second model. */
async function busyJarvis() {
  const level: Level = { value: 5, changes: [] }
  const other = { ...scripted(says('I am the other.'), says('And still.')), id: 'other/model' }
  const jarvis = await startJarvis({ model: obedient(), models: [other], tools: [setLevel(level)] })
  const screen = await jarvis.connect()
  const { sessionId } = await screen.ask('chat:send', { message: 'call get_vms {}' })
  await screen.next('chat:done')
  await jarvis.rest('/api/runbooks/mine', { method: 'PUT', json: { text: runbook } })
  await jarvis.rest('/api/runbooks/mine/run', { method: 'POST', json: { inputs: { vmid: '104' } } })
  const items = async <T>(path: string) => ((await (await jarvis.rest(path)).json()) as { items: T[] }).items
  await expect.poll(async () => (await items('/api/confirmations')).length).toBe(1)
  const [card] = await items<{ toolUseId: string }>('/api/confirmations')
  await jarvis.rest(`/api/confirmations/${card?.toolUseId}`, { method: 'POST', json: { confirmed: true } })
  await expect.poll(async () => (await items<PlanRun>('/api/plans'))[0]?.state).toBe('done')
  const [plan] = await items<PlanRun>('/api/plans')
  await screen.ask('chat:send', { message: question })
  const { questionId } = await screen.next('chat:question')
  return { jarvis, screen, sessionId, plan: String(plan?.id), questionId, level }
}

/** Another machine: a home and a data dir of its own, on whose port nothing listens. */
function elsewhere(jarvis: TestJarvis) {
  const home = mkdtempSync(join(tmpdir(), 'jarvis-far-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const env = { HOME: home, JARVIS_DATA_DIR: join(home, 'data'), PORT: '1' }
  const far = (args: readonly string[]) => [...args, '--url', jarvis.url]
  return {
    env,
    /** In this process, if the command reads nothing from its standard input. */
    here: (args: readonly string[]) => commandHere(jarvis, far(args), env),
    pipe: (args: readonly string[], input = '') => shell(jarvis, far(args), { env, input }),
    terminal: (args: readonly string[]) => terminal(jarvis, far(args), { env }),
  }
}

type Row = [args: string[], code: number, says: string | RegExp, input?: string]

testWith('script')(
  'each command that takes another server by --url speaks to it: what it tells, asks for and ends with',
  async () => {
    const { jarvis, screen, sessionId, plan, questionId, level } = await busyJarvis()
    const there = elsewhere(jarvis)
    const login = there.terminal(['login'])
    await login.shown('Password')
    login.type(`${password}\r`)
    expect((await login.ended).code).toBe(0)

    const rows: Row[] = [
      [['sessions'], 0, sessionId],
      [['replay', sessionId], 0, /The journal holds: \d+ entries[\s\S]*> call get_vms[\s\S]*It came to this/],
      [['replay', '--json', sessionId], 0, '"type":"tool_result"'],
      [['children', sessionId], 0, 'Nothing was handed over.'],
      [['context', sessionId], 0, 'scripted/model'],
      [['checkpoints', sessionId], 0, 'call get_vms'],
      [['tools', 'set_level'], 0, 'Sets the level of a guest.'],
      [['share', sessionId], 0, 'nobody'],
      [['waiting'], 0, 'No card waits.'],
      [['feedback'], 0, 'Nobody has said anything yet.'],
      [['grants'], 0, 'No grant is in force.'],
      [['questions'], 3, 'Which pool?'],
      [['plan'], 0, new RegExp(`${plan}.*done.*1 steps`)],
      [['plan', plan], 0, /done[\s\S]*set_level.* to=9/],
      [['alerts'], 0, /alert|for/],
      [['roles'], 0, 'operator'],
      [['ask', 'Hello'], 0, 'You said: Hello\n'],
      [['ask', '--model', 'other/model', 'Who?'], 0, 'I am the other.\n'],
      [
        ['ask', '--model', 'no/model', 'Who?'],
        1,
        'no/model is not configured. There are: scripted/model, other/model.',
      ],
      [['call', 'get_vms'], 0, 'pve'],
      [['run', 'mine', 'vmid=104', '--wait', '0'], 3, 'A card waits for a person', `${password}\n`],
      [['runbooks', 'run', 'mine', 'vmid=none'], 1, 'vmid must be a guest', `${password}\n`],
      // A person is needed, and none sits at a pipe.
      [['decide', 'tu_none'], 2, 'typed at a terminal'],
      [['grants', 'revoke', 'gr_none'], 2, 'typed at a terminal'],
      [['answer', questionId], 2, 'typed at a terminal'],
      [['logs'], 2, 'typed at a terminal'],
      [['signers'], 2, 'typed at a terminal'],
      [['channels'], 2, 'typed at a terminal'],
      [['chat'], 2, 'needs a terminal'],
      [['mcp'], 0, '"protocolVersion"', `${initialize}\n`],
    ]
    const ended: Ended[] = []
    for (const [args, , , input] of rows) {
      const readsInput = input !== undefined || args[0] === 'ask'
      ended.push(readsInput ? await there.pipe(args, input).ended : await there.here(args))
    }
    expect(ended.map(({ code }, at) => [rows[at]?.[0].join(' '), code])).toEqual(
      rows.map(([args, code]) => [args.join(' '), code]),
    )
    for (const [at, { stdout, stderr }] of ended.entries()) expect(stderr + stdout).toMatch(rows[at]?.[2] as string)
    expect(level.changes).toEqual([9])

    // Watching goes on until Ctrl-C.
    const watch = there.pipe(['watch', '--jsonl', '--since', '1h'])
    await watch.said('"toolName":"get_vms"')
    await watch.said('"kind":"decision"')
    await screen.ask('chat:send', { message: 'call get_node_status {"node":"pve"}' })
    await watch.said('"toolName":"get_node_status"')
    watch.child.kill('SIGINT')
    const watched = await watch.ended
    expect(watched.code).toBe(130)
    for (const line of watched.stdout.trim().split('\n')) JSON.parse(line)

    const answer = there.terminal(['answer', questionId])
    await answer.shown('Which pool?')
    await answer.shown('later): ')
    answer.type('3\r')
    await answer.shown('There are options 1 to 2.')
    await answer.shown('later): ')
    const resolved = screen.next('chat:question_resolved')
    answer.type('2\r')
    await answer.shown('Your password answers')
    answer.type(`${password}\r`)
    await answer.shown('Answered.')
    expect((await answer.ended).code).toBe(0)
    expect(await resolved).toMatchObject({ end: 'answered', answers: [{ chosen: [1] }] })
    const { items } = (await (await jarvis.rest('/api/questions')).json()) as QuestionsReply
    expect(items.filter(({ end }) => end === undefined)).toEqual([])

    const logs = there.terminal(['logs', '--json', '--level', 'debug'])
    await logs.shown('Password')
    logs.type(`${password}\r`)
    const told = await logs.ended
    expect([told.code, Array.isArray(JSON.parse(told.stdout.slice(told.stdout.indexOf('['))))]).toEqual([0, true])

    const chat = there.terminal(['chat', '--model', 'other/model'])
    await chat.shown('> ')
    chat.type('Still?\r')
    await chat.shown('And still.')
    await chat.shown('> ')
    chat.type('\u0004')
    expect((await chat.ended).code).toBe(0)

    const claimed = commands
      .list()
      .flatMap(({ name, options }) => (options.url?.about.startsWith('another') === true ? [name] : []))
    const tried = new Set([...rows.map(([[name]]) => name), 'watch', 'login'])
    expect(claimed.filter((name) => !tried.has(name))).toEqual([])

    new Sqlite(join(jarvis.dataDir, 'jarvis.db')).exec("UPDATE journal SET body = '{}' WHERE seq = 2").close()
    const broken = await there.here(['replay', sessionId])
    expect([broken.code, broken.stderr]).toEqual([1, expect.stringContaining('The journal is broken at entry 2')])
    expect(broken.stdout).toContain('It came to this')
  },
  // Some forty programs start.
  60_000,
)

const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'far', version: '1' } },
})
