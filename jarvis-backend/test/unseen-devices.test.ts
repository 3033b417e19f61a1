import { expect, test } from 'vitest'
import { Devices } from '../src/channels/web-push/devices.ts'
import { unseenDevices } from '../src/channels/web-push/unseen.ts'
import { SqliteRecipientStore } from '../src/store/sqlite/channels/recipients.ts'
import { SqliteSubscriptionStore } from '../src/store/sqlite/channels/subscriptions.ts'
import { openDatabase } from '../src/store/sqlite/database.ts'

const day = 86_400_000

test('a browser that was not here for 90 days is marked, until its own page or a button of it says that it is', () => {
  let now = 1_000 * day
  const database = openDatabase(':memory:')
  const recipients = new SqliteRecipientStore(database)
  const subscriptions = new SqliteSubscriptionStore(database)
  const devices = new Devices({
    channel: 'webpush',
    recipients,
    subscriptions,
    database,
    clock: { now: () => now },
    buttons: { keep() {} },
    sender: () => ({ publicKey: '' }),
    redact: (text: string) => text,
    changed() {},
    channels: { remove() {}, test() {} } as never,
  })
  const subscribe = (label: string, by: string) =>
    devices.subscribe(
      { endpoint: `https://push.example/${label}`, keys: { p256dh: '', auth: '' }, label, hidesNames: false },
      by,
    )
  const phone = subscribe('Phone', 'per_ann')
  const desk = subscribe('Desk', 'per_ann')
  const marked = () => devices.state('per_ann').items.flatMap(({ label, isUnseen }) => (isUnseen ? label : []))
  const forDoctor = () => unseenDevices(recipients.list('webpush'), subscriptions, now).map(({ name }) => name)

  now += 89 * day
  devices.seen(desk.id, 'per_ann')
  expect([marked(), forDoctor()]).toEqual([[], []])
  now += day
  // A message that was sent there says nothing of who is there.
  subscriptions.sent(phone.id, now)
  expect([marked(), forDoctor()]).toEqual([['Phone'], ['Phone']])
  expect(() => devices.seen(phone.id, 'per_ben')).toThrow('not known')
  expect(marked()).toEqual(['Phone'])
  devices.seen(phone.id)
  expect([marked(), forDoctor()]).toEqual([[], []])
  const listed = devices.state('per_ann').items.find(({ id }) => id === phone.id)
  expect(listed).toMatchObject({ label: 'Phone', lastSeenAt: now })

  now += day
  devices.seen(phone.id, 'per_ann', null)
  const lost = () => devices.state('per_ann').items.find(({ id }) => id === phone.id)
  expect(lost()).toMatchObject({ lastSeenAt: now - day, problem: expect.stringContaining('lost its subscription') })
  devices.seen(phone.id, 'per_ann', 'https://push.example/Phone')
  expect(lost()).toMatchObject({ lastSeenAt: now })
  expect(lost()).not.toHaveProperty('problem')
})
