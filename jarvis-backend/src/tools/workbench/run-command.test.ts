import { expect, test } from 'vitest'
import { compilePolicy, type World } from '../../gate/index.ts'
import type { Verdict } from '../../workbench/sandbox/level.ts'
import type { CommandPorts } from './command-ports.ts'
import { runCommand } from './run-command.ts'

const now = 1
const refusal = { said: 'bwrap: No permissions', because: 'this container refuses new namespaces', remedy: 'Use a VM.' }
const verdicts = {
  full: { at: 1, level: 'full' },
  landlock: { at: 1, level: 'landlock', abi: 4, ...refusal },
  none: { at: 1, level: 'none', abi: 0, ...refusal },
} satisfies Record<string, Verdict>

function judged(level: keyof typeof verdicts, workbench: { exec: boolean; landlock?: boolean }) {
  const world: World = {
    cluster: { nodes: [], guests: [] },
    policy: compilePolicy({ file: { version: 1, workbench } as never }),
    now,
  }
  const ports = { sandbox: { verdict: () => verdicts[level] } } as unknown as CommandPorts
  return runCommand.effects({ command: 'ls' }, world, ports)[0]?.atLeast
}

test.each([
  ['full', false, undefined, undefined],
  ['landlock', false, 'black', /landlock: true below workbench/],
  ['landlock', true, 'red', /Landlock alone.*JARVIS’s user/],
  ['none', true, 'black', /Use a VM/],
] as const)(
  'at the level %s, where policy.yaml says landlock: %s, a command is at least %s',
  (level, landlock, tier, because) => {
    const least = judged(level, { exec: true, landlock })
    expect(least?.tier).toBe(tier)
    if (because !== undefined)
      expect(least).toMatchObject({ isAlways: true, because: expect.stringMatching(because) as string })
  },
)

test('the card of a command says where the conversation’s own folder holds too much to be bound whole', async () => {
  const preview = async (named: object) => {
    const ports = {
      sandbox: { tried: async () => verdicts.full },
      named: () => ({ files: [], isCut: false, others: () => [], ...named }),
      keep: () => undefined,
    }
    return (await runCommand.prepare?.({ command: 'sh run.sh' }, { sessionId: 'ses_1' } as never, ports as never))?.now
  }
  expect(await preview({ isTooMuch: true })).toContain('as in a root, only what the command names is bound')
  expect(await preview({ tree: 'x', isWhole: true })).toContain('A change of any file in the folder asks again.')
  expect(await preview({ tree: 'x', isWhole: true })).not.toContain('as in a root')
})
