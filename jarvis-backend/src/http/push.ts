import { PushBody, PushDecideBody, PushDevice, PushReply, PushSeenBody } from 'protocol'
import type { Journal } from '../calls/ports.ts'
import type { Devices } from '../channels/web-push/devices.ts'
import type { SignedButtons } from '../channels/web-push/signed-buttons.ts'
import { Ok, ok, type Route, route } from './route.ts'

/** `/api/push`: each person's own browsers, which the channel of web push reaches. Their addresses are accepted and never returned. */
export function pushRoutes({
  devices,
  buttons,
  journal,
  database,
}: {
  devices: Devices
  buttons: Pick<SignedButtons, 'press'>
  journal: Journal
  database: { durably<T>(work: () => T): T }
}): Route[] {
  return [
    route('/push').get(
      'Your browsers that [web push](channels.md#web-push) reaches: an operator’s hear of everything, a member’s of their own.',
      { role: 'member', reply: PushReply },
      ({ by }) => devices.state(by),
    ),
    route('/push').post(
      'Adds a browser by its push subscription.',
      { role: 'member', password: true, body: PushBody, reply: PushDevice, status: 201 },
      ({ body, by }) =>
        database.durably(() => {
          const added = devices.subscribe(body, by)
          journal.append('setup', { change: 'push_on', by, id: added.id, label: added.label })
          return added
        }),
    ),
    route('/push/:id').delete('Removes a browser.', { role: 'member' }, ({ params: { id }, by }) =>
      database.durably(() => {
        devices.revoke(id, by)
        journal.append('setup', { change: 'push_off', by, id })
      }),
    ),
    route('/push/decide').post(
      'Decides a card as a button of a notification was pressed: signed with the [key of the device](signed-decisions.md#buttons-of-notifications), once. 403 where it does not count.',
      { role: 'public', body: PushDecideBody, reply: Ok },
      async ({ body }) => {
        await buttons.press(body)
        devices.seen(body.device)
        return ok
      },
    ),
    route('/push/:id/seen').post(
      'Says that the browser is here. One that was not for 90 days is marked (`isUnseen`); whoever has it is told of cards still. One that lost its subscription has a `problem`.',
      { role: 'member', body: PushSeenBody, reply: Ok },
      ({ params, body, by }) => {
        devices.seen(params.id, by, body.endpoint)
        return ok
      },
    ),
    route('/push/:id/test').post('Sends a browser a test.', { role: 'member', reply: PushDevice }, ({ params, by }) =>
      devices.test(params.id, by),
    ),
  ]
}
