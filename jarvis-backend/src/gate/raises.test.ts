import { expect, test } from 'vitest'
import { touchesOf } from '../../test/support/effects.ts'
import { shippedPolicy } from './policy/shipped.ts'
import { raisesOf, raiseWords } from './raises.ts'
import { rules } from './rules.ts'

const policy = { ...shippedPolicy, protectedTargets: new Set(['node/agent1']) }
const words = (toolName: string, baseTier: 'green' | 'yellow' | 'red', from = policy) =>
  raisesOf({ toolName, baseTier, touches: touchesOf(toolName) }, from).map(({ tier, words }) => `${tier}: ${words}`)

test('every rule that is shipped says in words when it raises', () => {
  expect(Object.keys(raiseWords).sort()).toEqual(rules.map(({ name }) => name).sort())
})

test('a read is raised by nothing, a change by what is protected and by what it would cost', () => {
  expect(words('get_vms', 'green')).toEqual([])
  expect(words('memory_write', 'yellow')).toEqual([
    'red: a note that would count as yours, after texts of others were read',
    'red: a file that every prompt holds',
  ])
  expect(words('wake_node', 'yellow')).toEqual(['black: a protected node', 'black: a target that is not known'])
  expect(words('restart_service', 'yellow')).toContain('red: a service that can cut JARVIS off or cost quorum')
  expect(words('execute_ssh', 'yellow')).toContain('black: a command not proven to read')
})

test('what the profile makes no stricter than usual is left out, and a protected guest counts only where there is one', () => {
  expect(words('stop_vm', 'red')).toEqual(['black: the guest JARVIS runs on', 'black: a target that is not known'])
  expect(words('stop_vm', 'red', { ...policy, profile: 'permissive' })).toContain(
    'red: force: true, which cuts the power',
  )
  expect(words('stop_vm', 'red', { ...policy, protectedTargets: new Set(['vm/101']) })[0]).toBe(
    'black: a protected guest',
  )
})

test('a rule of the operator\u2019s own says its reason', () => {
  const own = {
    name: 'mine',
    when: () => true,
    tier: 'black' as const,
    because: 'Not at night.',
  }
  expect(words('get_vms', 'green', { ...policy, rules: [own] })).toEqual(['black: Not at night.'])
})
