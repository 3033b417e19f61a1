import type { UnitState } from 'protocol'
import { expect, test } from 'vitest'
import { resolve } from '../../../test/support/effects.ts'
import { houseFacts } from '../../tools/house.ts'
import { describe } from '../card/card.ts'
import { decide } from '../decide.ts'
import { nodeOf, unitOf } from '../lab.fixture.ts'
import { compilePolicy } from '../policy/compile.ts'
import type { SeenUnit, World } from '../world.ts'

const worldWith = (seen: SeenUnit | undefined, protectedTargets: string[] = []): World => ({
  cluster: { nodes: [nodeOf('pve')], guests: [] },
  policy: compilePolicy({ protectedTargets: new Set(protectedTargets) }),
  now: 0,
  unitOf: () => seen,
})

function judge(toolName: string, input: object, world: World) {
  const given = { node: 'pve', ...input }
  const resolved = resolve(toolName, given, world)
  if (!resolved.ok) return resolved.message
  const { tier, rule, reason } = decide(
    { toolName, baseTier: houseFacts.get(toolName)?.tier ?? 'red', input: given },
    resolved.effects,
    world,
  )
  return `${tier} ${rule}: ${reason}`
}

test.each<[string, Partial<UnitState>, RegExp]>([
  ['pvestatd', {}, /^yellow base/],
  ['nginx.service', {}, /^yellow base/],
  ['crond', { id: 'cron', names: ['cron', 'crond'] }, /^yellow base/],
  ['rc-local', { type: 'forking', subState: 'exited' }, /^red unproven_service: .* keeps running/],
  ['kexec', { type: 'oneshot', activeState: 'inactive', subState: 'dead' }, /^red unproven_service/],
  ['apt-daily-upgrade', { type: 'oneshot', activeState: 'inactive', subState: 'dead' }, /^red .* would start it/],
  ['cloud-init', { type: 'oneshot', subState: 'exited' }, /^red unproven_service/],
  ['isc-dhcp-server', {}, /^red unproven_service: .* not among/],
  ['smbd', {}, /^red unproven_service/],
  ['tgt', {}, /^red unproven_service/],
  // A unit that has the name of a known service as an alias, and is another unit.
  ['nginx@evil', {}, /^red unproven_service: .* not among/],
  ['prometheus@a.service', {}, /^red unproven_service/],
  ['cron.timer', {}, /^red unproven_service/],
  ['nginx.socket', {}, /^red unproven_service/],
  ['syncthing@anna', {}, /^yellow base/],
  [
    'nginx',
    { activeState: 'inactive', subState: 'dead' },
    /^red .* nginx is inactive on pve: a restart would start it/,
  ],
  ['nginx', { activeState: 'failed', subState: 'failed' }, /^red .* is failed on pve: a restart would start it/],
  ['nginx', { type: 'oneshot' }, /^red unproven_service/],
  ['nginx', { loadState: 'masked' }, /^red unproven_service: nginx is masked/],
  ['nginx', { loadState: 'not-found' }, /^service: pve has no service nginx\.$/],
  // An alias is what it stands for, however harmless its name.
  ['nginx', { id: 'corosync', names: ['corosync', 'nginx'] }, /^red vital_service/],
  ['nginx', { id: 'tgt', names: ['tgt', 'nginx'] }, /^red unproven_service: nginx, which is tgt, is not among/],
  ['nginx', { id: 'systemd-poweroff', names: ['nginx', 'systemd-poweroff'] }, /^black not_a_service/],
])('a restart of %s that is %j: %s', (service, unit, expected) => {
  expect(judge('restart_service', { service }, worldWith({ unit: unitOf(service, unit) }))).toMatch(expected)
})

test.each<[string, SeenUnit | undefined, RegExp]>([
  ['was not asked', undefined, /^red unproven_service: pve could not be asked what nginx is, so/],
  ['did not answer', { missing: 'no SSH key.' }, /^red unproven_service: .* what nginx is \(no SSH key\), so/],
])('a restart on a node that %s asks', (_, seen, expected) => {
  expect(judge('restart_service', { service: 'nginx' }, worldWith(seen))).toMatch(expected)
})

const mariadb = { unit: unitOf('mariadb', { names: ['mariadb', 'mysql', 'mysqld'] }) }
const odd = { unit: unitOf('shop', { names: ['shop', 'till'] }) }
test.each<[string, string, object, SeenUnit | undefined]>([
  ['service/mysql', 'restart_service', { service: 'mariadb' }, mariadb],
  ['service/mariadb.service', 'restart_service', { service: 'mysqld' }, mariadb],
  ['service/mysql', 'restart_service', { service: 'mariadb' }, { missing: 'off' }],
  ['service/ssh', 'restart_service', { service: 'sshd.service' }, undefined],
  ['service/till', 'restart_service', { service: 'shop' }, odd],
  ['service/mysql', 'execute_ssh', { command: 'systemctl stop mariadb' }, mariadb],
  ['service/till', 'execute_ssh', { command: 'systemctl restart shop' }, odd],
  ['ct/104', 'restart_service', { service: 'web' }, { unit: unitOf('pve-container@104', { names: ['web'] }) }],
])('%s protected holds for %s %j', (target, toolName, input, seen) => {
  expect(judge(toolName, input, worldWith(seen, [target]))).toMatch(/^black protected_/)
})

test('a card about a service says how it is, and that a restart would start it', () => {
  const world = worldWith({ unit: unitOf('tgt', { activeState: 'inactive', subState: 'dead' }) })
  const input = { node: 'pve', service: 'tgt' }
  const resolved = resolve('restart_service', input, world)
  if (!resolved.ok) throw new Error(resolved.message)
  const verdict = { tier: 'red' as const, rule: 'unproven_service', reason: 'Why.' }
  expect(describe({ toolName: 'restart_service', effects: resolved.effects, verdict }, world, 0)).toMatchObject({
    sentence: 'The service tgt on pve does not run and is started.',
    now: expect.stringMatching(/^tgt is inactive \(dead\); pve is online/),
    then: 'tgt: inactive → started',
  })
})
