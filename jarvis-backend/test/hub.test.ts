import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import type { Snapshot } from 'protocol'
import { expect, test } from 'vitest'
import { Watchers } from '../src/agent/watchers.ts'
import { serveLines } from './support/line-door.ts'
import { calls, says, scripted } from './support/scripted-model.ts'
import { startJarvis, type TestJarvis } from './support/start-jarvis.ts'

type Line = Record<string, unknown> & { seq: number; runId: string }

function pipeTo(jarvis: TestJarvis) {
  const input = new PassThrough()
  const output = new PassThrough()
  const served = serveLines(jarvis.hub, 'operator', input, output)
  const lines = createInterface({ input: output })[Symbol.asyncIterator]()
  return {
    say: (line: object) => void input.write(`${JSON.stringify(line)}\n`),
    /** The next line that is such a one. */
    async next(isWanted: (line: Line) => boolean): Promise<Line> {
      for (;;) {
        const { value } = await lines.next()
        const line = JSON.parse(String(value)) as Line
        if (isWanted(line)) return line
      }
    },
    close() {
      input.end()
      return served
    },
  }
}

const isEvent = (name: string) => (line: Line) => line.event === name

test('a third door of under 60 lines starts a run, watches it from an entry on, sees its card, decides it, sees its result', async () => {
  const source = readFileSync(new URL('./support/line-door.ts', import.meta.url), 'utf8')
  expect(source.split('\n').length).toBeLessThan(60)
  const model = scripted(calls('I shall stop it.', ['stop_vm', { vmid: 103 }]), says('Stopped, sir.'))
  const jarvis = await startJarvis({ model })
  const screen = await jarvis.connect()
  const door = pipeTo(jarvis)

  door.say({ start: 'Stop 103.' })
  const { sessionId, runId } = await door.next((line) => 'queued' in line)
  await screen.ask('chat:attach', { sessionId: String(sessionId) })
  door.say({ watch: sessionId, from: 0 })
  const { snapshot } = (await door.next((line) => 'snapshot' in line)) as unknown as { snapshot: Snapshot }
  expect(snapshot).toMatchObject({ sessionId, since: 0 })
  expect(snapshot.entries.every(({ seq }) => seq > 0)).toBe(true)

  const card = snapshot.pending[0] ?? (await door.next(isEvent('chat:confirm_needed')))
  expect(card).toMatchObject({ toolName: 'stop_vm', target: { vmid: 103 } })
  expect(jarvis.controls.effects).toEqual([])
  door.say({ decide: 'tu_0', confirmed: true })
  expect(await door.next((line) => 'error' in line)).toEqual({ error: 'unknown_confirmation' })
  door.say({ decide: card.toolUseId, confirmed: true })

  const told: Line[] = []
  await door.next((line) => told.push(line) > 0 && line.event === 'chat:done')
  expect(told.map(({ event }) => event)).toEqual(expect.arrayContaining(['chat:confirm_resolved', 'chat:tool_result']))
  expect(told.every((line) => line.runId === runId)).toBe(true)
  const places = told.map(({ seq }) => seq)
  expect(places).toEqual(places.map((_, index) => (places[0] ?? 0) + index))
  expect(jarvis.controls.effects).toHaveLength(1)
  // Every watcher hears the same, whichever door it came through.
  await screen.next('chat:done')
  const heard = screen.received.map(({ event, payload }) => ({ event, ...payload }) as unknown as Line)
  expect(heard.filter(({ seq }) => seq >= (places[0] ?? 0))).toEqual(told)

  door.say({ decide: card.toolUseId, confirmed: true })
  expect(await door.next((line) => 'error' in line)).toEqual({ error: 'already_decided' })
  door.say({ watch: 'ses_0' })
  expect(await door.next((line) => 'error' in line)).toEqual({ error: 'unknown_session' })
  await door.close()
})

test('a session is watched while an operator watches it, and a watcher that fails keeps nothing from the others', () => {
  const problems: unknown[] = []
  const watchers = new Watchers((error) => problems.push(error))
  const heard: string[] = []
  const endFailing = watchers.add('ses_1', {
    isOperator: false,
    tell() {
      throw new Error('gone')
    },
  })
  expect(watchers.isWatched('ses_1')).toBe(false)
  const end = watchers.add('ses_1', { isOperator: true, tell: (event) => void heard.push(event) })
  expect([watchers.isWatched('ses_1'), watchers.isWatched('ses_2')]).toEqual([true, false])
  watchers.publish('ses_1', 'chat:done', {})
  expect([heard, problems]).toEqual([['chat:done'], [new Error('gone')]])
  end()
  endFailing()
  watchers.publish('ses_1', 'chat:done', {})
  expect([watchers.isWatched('ses_1'), heard, problems]).toEqual([false, ['chat:done'], [new Error('gone')]])
})
