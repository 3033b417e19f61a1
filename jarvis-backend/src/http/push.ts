import type { Journal } from '../calls/ports.ts'
import { PushBody, PushDecideBody, PushDevice, PushReply } from '../protocol/index.ts'
import type { Buttons } from '../push/buttons.ts'
import type { Push } from '../push/push.ts'
import { del, get, Ok, ok, post, type Route } from './route.ts'

/** `/api/push`: each person's browsers that are told of waiting cards. Their addresses are accepted and never returned. */
export function pushRoutes(parts: {
  push: Push
  press: Buttons['press']
  journal: Journal
  durably<T>(work: () => T): T
}): Route[] {
  const { push, journal, durably } = parts
  return [
    get(
      '/push',
      'Your browsers that are told of waiting cards: an operator’s of all, a member’s of their own.',
      { role: 'member', reply: PushReply },
      ({ by }) => push.state(by),
    ),
    post(
      '/push',
      'Adds a browser by its push subscription.',
      { role: 'member', password: true, body: PushBody, reply: PushDevice, status: 201 },
      ({ body, by }) =>
        durably(() => {
          const added = push.subscribe(body, by)
          journal.append('setup', { change: 'push_on', by, id: added.id, label: added.label })
          return added
        }),
    ),
    del('/push/:id', 'Removes a browser.', { role: 'member' }, ({ params: { id }, by }) =>
      durably(() => {
        push.revoke(id, by)
        journal.append('setup', { change: 'push_off', by, id })
      }),
    ),
    post(
      '/push/decide',
      'Decides a card as a button of a notification was pressed: signed with the [key of the device](signed-decisions.md#buttons-of-notifications), once. 403 where it does not count.',
      { role: 'public', body: PushDecideBody, reply: Ok },
      async ({ body }) => {
        await parts.press(body)
        return ok
      },
    ),
    post('/push/:id/test', 'Sends a browser a message.', { role: 'member', reply: PushDevice }, ({ params, by }) =>
      push.test(params.id, by),
    ),
  ]
}
