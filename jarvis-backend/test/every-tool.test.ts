import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import fc from 'fast-check'
import { systemClock } from 'node-kit/clock'
import type { ProfileName, ToolInput } from 'protocol'
import { isFinal } from 'protocol/facts'
import { describe, expect, test } from 'vitest'
import type { CallContext } from '../src/calls/call.ts'
import { cardOf } from '../src/calls/confirmations/card.ts'
import { createJudge } from '../src/calls/judge.ts'
import { onlyOwner } from '../src/calls/people.ts'
import { createRedactor, shippedPolicy } from '../src/gate/index.ts'
import { bridgeStdio } from '../src/mcp/server/stdio-bridge.ts'
import type { Database } from '../src/store/sqlite/database.ts'
import { createCatalog } from '../src/tools/catalog.ts'
import { anyCharacter } from './support/any-character.ts'
import { folder } from './support/data-dir.ts'
import { failingRows } from './support/failing-rows.ts'
import { overHomelab } from './support/house.ts'
import { connectMcp, createToken } from './support/mcp-client.ts'
import { askCurrent, withTasks } from './support/mcp-current.ts'
import { type CallOf, calls, says, scripted } from './support/scripted-model.ts'
import { createSimulator } from './support/simulator.ts'
import { startJarvis } from './support/start-jarvis.ts'
import { made, optIn, usual } from './support/usual-calls.ts'

const simulator = () => createSimulator({ clock: systemClock, protectedTargets: new Set(), speed: 1_000 })

describe('arguments that no tool takes', () => {
  const homelab = simulator()
  const catalog = createCatalog(overHomelab(homelab))
  const policy = { ...shippedPolicy, profile: 'unrestricted', enabled: new Set(optIn) } as const
  const proofOf = () => ({ level: 5, at: 0 })
  const judge = createJudge(catalog, () => ({ cluster: homelab.cluster.state(), policy, now: 0, proofOf }))
  const odd = fc.oneof(
    fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'confirmed', 'approved'),
    fc.constantFrom('tier', 'grant', 'Vmid', 'vmid ', 'node\u200b', 'force\0', 'dry_run', '$schema', ''),
    fc.string({ unit: anyCharacter }),
  )
  const any = fc.anything({ withNullPrototype: true, withBoxedValues: true, withBigInt: true, withDate: true })

  test('every tool has a usual call, and it is ready or asks', () => {
    expect(usual.map(([name]) => name).sort()).toEqual(
      catalog
        .list()
        .map(({ name }) => name)
        .sort(),
    )
    for (const [name, input] of usual) expect(judge(name, input).kind, name).toBe('ready')
  })

  test('each tool is approved by its deed, not by its name', async () => {
    const world = { cluster: homelab.cluster.state(), policy, now: 0 }
    const parts = { redactor: createRedactor([]), world, people: onlyOwner, createdAt: 0, expiresAt: 1 }
    const context = { principal: { kind: 'command', name: 'operator' } } as CallContext
    const judgeRow = ([name, input]: CallOf) => {
      const ready = judge(name, input)
      if (ready.kind !== 'ready') throw new Error(`${name} is not ready`)
      const call = { type: 'tool_call', toolUseId: 'tu', toolName: name, toolInput: input } as const
      const { deed } = cardOf({ call, ready, context }, parts)
      expect(deed).toMatch(/^[a-z][\w .,’-]{5,60}$/)
      expect(deed).not.toMatch(/_/)
    }
    expect(await failingRows(usual, judgeRow)).toEqual([])
  })

  test('a card warns that a call cannot be undone only if something is lost', () => {
    const world = { cluster: homelab.cluster.state(), policy, now: 0 }
    const parts = { redactor: createRedactor([]), world, people: onlyOwner, createdAt: 0, expiresAt: 1 }
    const context = { principal: { kind: 'command', name: 'operator' } } as CallContext
    const warns = ([toolName, toolInput]: CallOf) => {
      const ready = judge(toolName, toolInput)
      if (ready.kind !== 'ready') throw new Error(`${toolName} is not ready`)
      return isFinal(
        cardOf({ call: { type: 'tool_call', toolUseId: 'tu', toolName, toolInput }, ready, context }, parts).undo,
      )
    }
    // The other tools know only after a look at the cluster.
    const known = usual.filter(([name]) => catalog.get(name)?.undo !== undefined)
    expect(known.length).toBeGreaterThan(10)
    expect(known.filter(warns)).toEqual([])
    expect(warns(['restart_vm', { vmid: 101, force: true }])).toBe(true)
  })

  test('each tool is refused with an unknown key, whatever its name and value', async () => {
    const judgeRow = ([name, input]: CallOf) =>
      fc.assert(
        fc.property(odd, any, (key, value) => {
          fc.pre(!Object.hasOwn(catalog.get(name)?.input.shape ?? {}, key))
          const wrong: ToolInput = { ...input }
          Object.defineProperty(wrong, key, { value, enumerable: true, configurable: true })
          expect(judge(name, wrong)).toMatchObject({ kind: 'blocked', verdict: { rule: 'unknown_argument' } })
        }),
      )
    expect(await failingRows(usual, judgeRow)).toEqual([])
  })

  /** True if the value is read as another value (`calls/faithful.ts`), or as none. */
  const isRead = (value: unknown) =>
    value === null || (typeof value === 'string' && /^(?:|null|None|true|false|-?\d+(?:\.\d+)?)$|^[[{]/.test(value))
  test('no tool runs with a value of another type', async () => {
    const judgeRow = ([name, input]: CallOf) =>
      fc.assert(
        fc.property(fc.constantFrom(...Object.keys(input)), any, (key, value) => {
          fc.pre(typeof value !== typeof input[key] && !isRead(value))
          expect(judge(name, { ...input, [key]: value }).kind).not.toBe('ready')
        }),
      )
    const rows = usual.filter(([, input]) => Object.keys(input).length > 0)
    expect(await failingRows(rows, judgeRow)).toEqual([])
  })

  test('a prototype in JSON is an unknown key', () => {
    const polluted = JSON.parse('{"vmid": 131, "__proto__": {"force": true}}') as ToolInput
    expect(judge('stop_vm', polluted)).toMatchObject({ kind: 'blocked', verdict: { rule: 'unknown_argument' } })
  })
})

const mcpEntrances = [
  'an older MCP client',
  'a current MCP client',
  'a current MCP client that knows tasks',
  'stdio',
] as const
type Entrance = 'a model' | 'the operator' | (typeof mcpEntrances)[number]

/**
 * Restored is the newest backup there is, and destroyed what another usual call made, for nothing else has been proven to be
 * restorable.
 */
async function usualIn({ cluster }: ReturnType<typeof simulator>): Promise<CallOf[]> {
  const { items } = await cluster.backups({ vmid: 101 }, { signal: AbortSignal.timeout(60_000) })
  const newest = items[0]?.volumeId ?? ''
  return usual.map(([name, input]) => {
    if (name === 'destroy_guest') return [name, { vmid: made.newId, name: made.name }]
    return name === 'restore_guest' ? [name, { ...input, archive: newest }] : [name, input]
  })
}

/** The tools that change something or run a command. */
const changing = createCatalog(overHomelab(simulator()))
  .list()
  .flatMap(({ tier, name }) => (tier === 'green' ? [] : [name]))

/** At least one tool of each port to the cluster. A model calls every tool: the other doors lead to the same executor. */
const oneOfEachPort = ['execute_ssh', 'restart_service', 'set_node_network', 'shutdown_node', 'wake_node', 'start_vm']

/** A JARVIS that notes each request reaching the cluster, with how many executions the journal held by then. */
async function watched(entrance: Entrance) {
  const homelab = simulator()
  const inOrder = (await usualIn(homelab)).filter(([name]) => entrance === 'a model' || oneOfEachPort.includes(name))
  const reached: { tool: string; executions: number }[] = []
  let executions = () => 0
  const note = (tool: string) => void reached.push({ tool, executions: executions() })
  const { api, cluster, shell, waker } = homelab
  const { power, restartService } = cluster
  cluster.power = (...args) => {
    note('power')
    return power(...args)
  }
  cluster.restartService = (...args) => {
    note('restart_service')
    return restartService(...args)
  }
  const { change } = api
  api.change = (...args) => {
    note(args[0].path.join('/'))
    return change(...args)
  }
  const { run } = shell
  shell.run = (...args) => {
    note('execute_ssh')
    return run(...args)
  }
  const { wake } = waker
  waker.wake = (...args) => {
    note('wake_node')
    return wake(...args)
  }
  const turns = () => (entrance === 'a model' ? inOrder.flatMap((call) => [calls(call), says('Next.')]) : [])
  const model = scripted(...turns(), ...turns(), ...turns())
  const dataDir = folder()
  writeFileSync(join(dataDir, 'policy.yaml'), `enable: [${optIn.join(', ')}]`)
  const jarvis = await startJarvis({
    dataDir,
    model,
    homelab,
    database(database: Database) {
      const count = database.sql.prepare<[], { n: number }>(
        "SELECT count(*) AS n FROM journal WHERE kind = 'execution'",
      )
      executions = () => count.get()?.n ?? 0
      return database
    },
  })
  const operator = await jarvis.connect()

  async function enter([name, input]: CallOf, profile: ProfileName): Promise<void> {
    if (entrance !== 'a model' && entrance !== 'the operator') {
      await overMcp(entrance, createToken(jarvis, { name: `${name}_${profile}` }), { name, arguments: input })
      return
    }
    const args = Object.entries(input).map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    const message = entrance === 'a model' ? `Please: ${args.join(', ')}.` : `/${name} ${args.join(' ')}`
    // A session of its own for each: a long one costs more with each call.
    await operator.ask('chat:send', { message })
    await operator.next('chat:done')
  }

  async function overMcp(
    entrance: (typeof mcpEntrances)[number],
    token: string,
    call: { name: string; arguments: ToolInput },
  ) {
    if (entrance === 'a current MCP client') return askCurrent(jarvis, token, 'tools/call', call)
    if (entrance === 'an older MCP client') return (await connectMcp(jarvis, token)).callTool(call)
    if (entrance === 'stdio') return overStdio(jarvis.url, token, call)
    const { result } = await askCurrent(jarvis, token, 'tools/call', call, withTasks)
    for (let task = result; ; task = (await askCurrent(jarvis, token, 'tasks/get', task, withTasks)).result) {
      if (task?.taskId === undefined || task.status !== 'working') return task
    }
  }

  let isConfirming = true
  async function decideAll() {
    const { items } = (await (await jarvis.rest('/api/confirmations')).json()) as {
      items: { toolUseId: string; decidedAt?: number }[]
    }
    for (const { toolUseId } of items.filter(({ decidedAt }) => decidedAt === undefined)) {
      await jarvis.rest(`/api/confirmations/${toolUseId}`, { method: 'POST', json: { confirmed: isConfirming } })
    }
  }
  let deciding = Promise.resolve()
  const events = await jarvis.connect('/events')
  events.socket.on('changed', ({ what }: { what: string }) => {
    // One that fails keeps no later card waiting.
    if (what === 'confirmations') deciding = deciding.then(decideAll, decideAll)
  })

  return {
    reached,
    /** How many of the calls change something or run a command. */
    changes: inOrder.filter(([name]) => changing.includes(name)).length,
    async all(profile: ProfileName, confirms: boolean) {
      expect((await jarvis.rest('/api/settings', { method: 'PUT', json: { profile } })).status).toBe(200)
      isConfirming = confirms
      for (const call of inOrder) await enter(call, profile)
      await deciding
    },
  }
}

/** A client that started a program and talks to it over its pipes. */
async function overStdio(url: string, token: string, call: object) {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const bridge = bridgeStdio({ url: `${url}/mcp`, token, input, output, report() {} })
  const lines = createInterface({ input: output })[Symbol.asyncIterator]()
  const ask = async (id: number, method: string, params: object) => {
    input.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    for (;;) {
      const message = JSON.parse((await lines.next()).value ?? '{}') as { id?: number }
      if (message.id === id) return message
    }
  }
  await ask(1, 'initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'by-hand', version: '1' },
  })
  const answer = await ask(2, 'tools/call', call)
  input.end()
  await bridge
  return answer
}

test.each(['a model', 'the operator', ...mcpEntrances] as const)(
  'through %s nothing reaches the cluster in lockdown or past a denied card, and every change that does was written down before',
  async (entrance) => {
    const { reached, changes, all } = await watched(entrance)
    await all('lockdown', true)
    expect(reached, 'in lockdown').toEqual([])
    await all('restricted', false)
    expect(reached, 'where every change asks and every card is denied').toEqual([])

    await all('balanced', true)
    // A node's network is staged and then reloaded: two requests of one call.
    const first = reached.filter(({ tool }) => !tool.endsWith('/network'))
    expect(first).toHaveLength(changes)
    expect(reached).toHaveLength(changes + 1)
    for (const [index, { tool, executions }] of first.entries()) expect(executions, tool).toBe(index + 1)
    const at = reached.findIndex(({ tool }) => tool.endsWith('/network'))
    expect(reached[at]?.executions).toBe(reached[at - 1]?.executions)
  },
)
