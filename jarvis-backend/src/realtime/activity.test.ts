import { expect, test } from 'vitest'
import { ActivityFeed } from './activity.ts'

test('the feed says how long ago each list changed, and for how long it has counted', () => {
  const feed = new ActivityFeed()
  expect(feed.ages().lists).toEqual({})
  feed.changed({ what: 'sessions', sessionId: 'ses_1' })
  feed.changed({ what: 'alerts' })
  const { upMs, lists } = feed.ages()
  expect(Object.keys(lists)).toEqual(['sessions', 'alerts'])
  for (const ageMs of Object.values(lists)) expect(ageMs >= 0 && ageMs <= upMs).toBe(true)
})
