import { expect, test } from 'vitest'
import { causesOf } from './hides.ts'

type Alerts = Parameters<typeof causesOf>[0]
const alert = (check: string, id: string, more: object = {}) => ({
  id: `${check} ${id}`,
  check,
  object: { id },
  state: 'firing',
  ...more,
})
const state = { storages: [{ name: 'pbs', content: ['backup'] }] } as Parameters<typeof causesOf>[1]
const causes = (...alerts: object[]) =>
  Object.fromEntries([...causesOf(alerts as Alerts, state)].map(([id, cause]) => [id, cause.id]))

const away = alert('node-away', 'node/a', { object: { id: 'node/a', node: 'a' } })
const storage = alert('storage-away', 'storage/pbs', { object: { id: 'storage/pbs', name: 'pbs' } })
const failed = alert('backup-failed', 'ct/1', { inputs: { vmid: 1, storage: 'pbs' } })
const old = alert('backup-old', 'ct/1')

test.each<[string, object[], Record<string, string>]>([
  ['a failed backup hides that it is old', [failed, old], { [old.id]: failed.id }],
  [
    'a storage hides what failed for it, and so what is old',
    [old, failed, storage],
    { [failed.id]: storage.id, [old.id]: storage.id },
  ],
  ['of another storage it hides nothing', [{ ...failed, inputs: { storage: 'nas' } }, storage], {}],
  [
    'a node hides what hides others',
    [old, failed, { ...storage, object: { ...storage.object, node: 'a' } }, away],
    { [storage.id]: away.id, [failed.id]: away.id, [old.id]: away.id },
  ],
  ['what has ended hides nothing', [{ ...failed, state: 'resolved' }, old], {}],
  ['of another guest it hides nothing', [failed, alert('backup-old', 'ct/2')], {}],
])('%s', (_what, alerts, expected) => {
  expect(causes(...alerts)).toEqual(expected)
})
