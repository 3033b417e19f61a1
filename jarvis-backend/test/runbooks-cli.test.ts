import type { Card } from 'protocol'
import { expect, test } from 'vitest'
import { startRunbook } from '../src/cli/start-runbook.ts'
import { type Level, setLevel } from './support/set-level.ts'
import { password, startJarvis } from './support/start-jarvis.ts'

const text = `---
name: A level
inputs:
  vmid: { type: guest }
---
## 1. Set it
tool: set_level
args: { vmid: $vmid, to: 9 }
`

async function started(decide: boolean | undefined, inputs: Record<string, string>, given = password) {
  const level: Level = { value: 5, changes: [] }
  const jarvis = await startJarvis({ tools: [setLevel(level)] })
  await jarvis.rest('/api/runbooks/mine', { method: 'PUT', json: { text } })
  const lines: string[] = []
  let looks = 0
  const end = await startRunbook({
    url: jarvis.url,
    password: given,
    name: 'mine',
    inputs,
    waitMs: 30,
    everyMs: 1,
    say: (line) => lines.push(line),
    // The time goes on only once a card was told of, and nobody decides it.
    now: () => (decide === undefined && lines.some((line) => line.startsWith('A card waits')) ? 100 : 0),
    async sleep() {
      looks += 1
      await new Promise(setImmediate)
      if (decide === undefined || looks > 500 || !lines.some((line) => line.startsWith('A card waits'))) return
      const { items } = (await (await jarvis.rest('/api/confirmations')).json()) as {
        items: (Card & { decision?: string })[]
      }
      const [card] = items.filter(({ decision }) => decision === undefined)
      if (card !== undefined)
        await jarvis.rest(`/api/confirmations/${card.toolUseId}`, { method: 'POST', json: { confirmed: decide } })
    },
  })
  return { end, lines: lines.join('\n'), level }
}

test.each([
  ['approved', true, 'done', 'The plan is done.', [9]],
  ['denied', false, 'denied', 'The card was denied by operator.', []],
  ['left alone', undefined, 'waits', 'Nobody waits here any longer', []],
] as const)('a runbook started on the command line whose card is %s', async (_how, decide, end, words, changes) => {
  const came = await started(decide, { vmid: '104' })
  expect(came).toMatchObject({ end, level: { changes } })
  expect(came.lines).toContain('A card waits for a person: ')
  expect(came.lines).toContain(words)
})

test('an input that is wrong, and a wrong password, say so and run nothing', async () => {
  const came = await started(undefined, { vmid: '99999' })
  expect([came.end, came.level.changes]).toEqual(['failed', []])
  expect(came.lines).toContain('vmid must be a guest of the cluster')
  await expect(started(undefined, { vmid: '104' }, 'wrong')).rejects.toThrow(/password/i)
})
