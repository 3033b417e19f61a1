import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DoctorReply, ModelsReply } from 'protocol'
import { expect, onTestFinished, test } from 'vitest'
import { attachedDir, connected, odd, setTier } from './support/attached.ts'
import { jarvisHere } from './support/command-here.ts'
import { createFakeClock, noon } from './support/fake-clock.ts'
import { type StandIn, standIns, startStandIns } from './support/stand-ins.ts'
import { startJarvis, type TestJarvis } from './support/start-jarvis.ts'

const plain = standIns.find(({ name }) => name === 'OpenRouter') as StandIn
/** A server that refuses each request with a tool that takes `forbidden`. @param words what it says */
const refusing = (words: (place: number) => object): StandIn => ({
  ...plain,
  refuses(body) {
    const place = (body.tools ?? []).findIndex((tool: object) => JSON.stringify(tool).includes('"forbidden"'))
    return place < 0 ? plain.refuses(body) : { status: 400, json: words(place) }
  },
})
const tools = Array.from({ length: 9 }, (_, i) => ({
  name: `echo${'abcdefghi'[i]}`,
  description: 'Echoes.',
  inputSchema: { type: 'object', properties: { [i === 5 ? 'forbidden' : 'text']: { type: 'string' } } },
}))

async function house(words: (place: number) => object) {
  const servers = await startStandIns(
    ({ said, results }) =>
      said.startsWith('Echo') && results === 0
        ? { calls: [{ name: 'odd__echoa', input: { text: 'x' } }] }
        : { text: 'Here.' },
    [refusing(words)],
  )
  onTestFinished(servers.stop)
  const [server] = servers.all
  if (server === undefined) throw new Error('It did not start.')
  const { dir } = attachedDir((planPath) => ({ odd: odd(planPath) }), { tools })
  const provider = { name: 'lab', kind: server.kind, baseUrl: server.url, models: ['m'] }
  writeFileSync(join(dir, 'models.json'), JSON.stringify({ version: 1, providers: [provider] }))
  const start = async (clock?: ReturnType<typeof createFakeClock>) => {
    const jarvis = await startJarvis({
      dataDir: dir,
      fromFiles: true as const,
      env: { JARVIS_EMBEDDINGS: 'none', JARVIS_TITLES: 'off' },
      clock,
    })
    await connected(jarvis, 'odd')
    return jarvis
  }
  return { server, start, provider }
}

/** Asks, and returns what the person is told beside the answer. */
async function ask(jarvis: TestJarvis, message: string) {
  const screen = await jarvis.connect()
  await screen.ask('chat:send', { message })
  await screen.next('chat:done')
  return screen.received.flatMap(({ event, payload }) => (event === 'chat:notice' ? [String(payload.message)] : []))
}
const leftOutOn = async (jarvis: TestJarvis) =>
  ((await (await jarvis.rest('/api/models')).json()) as ModelsReply).providers.flatMap(({ leftOut = [] }) => leftOut)
const doctorOn = async (jarvis: TestJarvis) =>
  ((await (await jarvis.rest('/api/doctor')).json()) as DoctorReply).checks.filter(({ area }) => area === 'Tools')

const named = (place: number) => ({
  error: { message: `Invalid schema in tools[${place}].function.parameters`, type: 'invalid_request_error' },
})

test('an attached tool that a model’s server refuses is left out: the chat says so once, the doctor and the list of models as long', async () => {
  const { server, start, provider } = await house(named)
  const jarvis = await start()
  await setTier(jarvis, 'odd__echoa', 'green')
  const [notice, ...others] = await ask(jarvis, 'Echo x.')
  expect(notice).toContain('odd__echof is left out for lab/m')
  expect(notice).toContain('Invalid schema')
  expect(others).toEqual([])
  expect(await ask(jarvis, 'And again?')).toEqual([])
  expect(server.refusals).toHaveLength(1)
  const leftOut = [{ tool: 'odd__echof', why: expect.stringContaining('Invalid schema') }]
  expect(await leftOutOn(jarvis)).toEqual(leftOut)
  expect(await doctorOn(jarvis)).toMatchObject([{ health: 'warn', text: notice }])
  await jarvis.stop()
  const { output } = await jarvisHere(jarvis.dataDir, 'doctor', '--no-model')
  expect(output).toContain('odd__echof is left out for lab/m')

  const again = await start()
  expect(await ask(again, 'And today?')).toEqual([])
  expect(server.refusals).toHaveLength(1)
  expect(await leftOutOn(again)).toEqual(leftOut)
  expect(await doctorOn(again)).toMatchObject([{ text: notice }])

  // Saving the provider again tries the tools anew.
  const { name, ...body } = provider
  expect((await again.rest(`/api/models/${name}`, { method: 'PUT', json: body })).status).toBe(200)
  expect(await leftOutOn(again)).toEqual([])
  expect(await ask(again, 'And now?')).toHaveLength(1)
  expect(server.refusals).toHaveLength(2)
})

test('what a server refused is tried again after 30 days', async () => {
  const { server, start } = await house(named)
  const first = await start(createFakeClock(noon()))
  await ask(first, 'Hello?')
  await first.stop()
  const second = await start(createFakeClock(noon() + 29 * 86_400_000))
  await ask(second, 'Hello?')
  expect(server.refusals).toHaveLength(1)
  await second.stop()
  const third = await start(createFakeClock(noon() + 31 * 86_400_000))
  expect(await leftOutOn(third)).toEqual([])
  await ask(third, 'Hello?')
  expect(server.refusals).toHaveLength(2)
})

test('a tool that a server refuses without naming it is found over the next questions, which are all answered', async () => {
  const { server, start } = await house(() => ({ error: { message: 'Request contains an invalid argument.' } }))
  const jarvis = await start()
  const notices: string[] = []
  for (let i = 0; i < 6; i += 1) notices.push(...(await ask(jarvis, `Hello ${i}?`)))
  expect(notices).toMatchObject([expect.stringContaining('odd__echof is left out for lab/m')])
  expect(server.refusals.length).toBeLessThanOrEqual(5)
  expect((await leftOutOn(jarvis)).map(({ tool }) => tool)).toEqual(['odd__echof'])
  const paid = server.refusals.length
  await jarvis.stop()
  const again = await start()
  await ask(again, 'Hello?')
  expect(server.refusals).toHaveLength(paid)
})
