import { expect, test } from 'vitest'
import type { StoredAlert } from '../alert.ts'
import { announce } from './alert-feed.ts'

test('the activity tells an alert, unless the notices of the cluster told the same fact', () => {
  const told: string[] = []
  const activity = { record: ({ text }: { text: string }) => void told.push(text) }
  const alert = (check: string) =>
    ({ check, sentence: check, severity: 'failed', object: { id: 'x' } }) as unknown as StoredAlert
  announce(['node-heat', 'guest-stopped', 'storage-away', 'node-away'].map(alert), { activity, now: () => 0 } as never)
  expect(told).toEqual(['node-heat'])
})
