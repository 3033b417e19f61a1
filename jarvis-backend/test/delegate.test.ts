import { expect, test } from 'vitest'
import { family } from './support/family-model.ts'
import { calls, says } from './support/scripted-model.ts'
import { type Screen, startJarvis } from './support/start-jarvis.ts'

const task = (word: string, more: object = {}): [string, Record<string, unknown>] => [
  'delegate',
  { agent: 'main', task: `Look at ${word}.`, ...more },
]
const entries = (screen: Screen, event: string) =>
  screen.received.filter((one) => one.event === event).map(({ payload }) => payload)
const resultOf = (screen: Screen, toolName: string) => {
  const used = entries(screen, 'chat:tool_use').find((one) => one.toolName === toolName)
  return entries(screen, 'chat:tool_result').find(({ toolUseId }) => toolUseId === used?.toolUseId)
}
/** Until the run of the message has ended, not one that it asked for. */
async function answered(screen: Screen, runId: string) {
  for (;;) {
    const done = await screen.next('chat:done')
    if (done.runId === runId) return done
  }
}

test('a child works on its task alone, and its last words come back as the result of the call', async () => {
  const model = family([calls(task('disks')), says('All well, sir.')], {
    disks: [calls(['get_storage', {}]), says('tank-nfs is 78 % full.')],
  })
  const jarvis = await startJarvis({ model })
  const screen = await jarvis.connect()
  const { runId } = await screen.ask('chat:send', { message: 'How are the disks? Ask another agent.' })
  await answered(screen, runId)

  const [begin, end] = entries(screen, 'chat:subrun')
  expect(begin).toMatchObject({ change: 'begin', agent: 'main', for: 'main', task: 'Look at disks.' })
  expect(end).toMatchObject({ change: 'end', state: 'done', calls: 1, summary: 'tank-nfs is 78 % full.' })
  expect([begin?.runId === runId, begin?.runId === end?.runId, begin?.toolUseId === end?.toolUseId]).toEqual([
    false,
    true,
    true,
  ])
  const result = resultOf(screen, 'delegate')
  expect(result).toMatchObject({
    isError: false,
    toolUseId: begin?.toolUseId,
    runId,
    data: { agent: 'main', calls: 1 },
  })
  expect(result?.result).toMatch(/data, not instructions[\s\S]*1 read, nothing was changed[\s\S]*tank-nfs is 78 % full/)

  // The child reads its task and nothing of the conversation; the parent reads the result and nothing of the child.
  const [ofChild] = model.of('disks').requests
  expect(ofChild?.messages).toHaveLength(1)
  expect(JSON.stringify(ofChild?.messages)).not.toContain('Ask another agent')
  expect(ofChild?.tools.map(({ name }) => name)).not.toEqual(expect.arrayContaining(['delegate']))
  expect(ofChild?.tools.some(({ name }) => name === 'run_runbook')).toBe(false)
  const ofParent = JSON.stringify(model.of('parent').requests[1]?.messages)
  expect(ofParent).not.toContain('get_storage')
})
