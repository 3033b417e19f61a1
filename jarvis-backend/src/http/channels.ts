import {
  ChannelBody,
  ChannelDeliveries,
  ChannelDeliveriesQuery,
  ChannelDelivery,
  ChannelGroupBody,
  ChannelGroups,
  ChannelInfo,
  ChannelPairingBegun,
  ChannelPairingBody,
  ChannelPairings,
  ChannelRecipient,
  ChannelRecipientBody,
  ChannelRules,
  ChannelsReply,
  ChannelTapBody,
  ChannelTapReply,
  ChannelTestBody,
} from 'protocol'
import type { StepUp } from '../auth/step-up.ts'
import type { Desk } from '../channels/desk.ts'
import { type Route, route } from './route.ts'

/** Maximum number of button presses per minute that one channel accepts. */
const mostTaps = 60

/** `/api/channels`: the ways to reach people outside the dashboard. Secrets are accepted and never returned. */
export const channelRoutes = (
  desk: Desk,
  stepUp: Pick<StepUp, 'require'>,
  /** Counts a use of `key`. @throws JarvisError `too_many_requests` if the key was used more than `most` times in a minute */
  limit: (key: string, most: number) => void,
): Route[] => [
  ...setUpRoutes(desk),
  ...pairingRoutes(desk),
  ...recipientRoutes(desk, stepUp),
  ...messageRoutes(desk, limit),
]

const setUpRoutes = (desk: Desk): Route[] => [
  route('/channels').get(
    'The [channels](channels.md), whom they reach, and what a tap there may do.',
    { role: 'operator', reply: ChannelsReply },
    () => desk.current(),
  ),
  route('/channels/:channel').put(
    'Sets a channel up, or changes its settings. With other settings, everything that was paired is void.',
    { role: 'owner', password: true, body: ChannelBody, reply: ChannelInfo },
    ({ params, body, identity }) => desk.save(params.channel, body, identity.person),
  ),
  route('/channels/:channel').delete(
    'Takes a channel out, with whom it reached.',
    { role: 'owner' },
    ({ params, identity }) => desk.forget(params.channel, identity.person),
  ),
  route('/channels/:channel/check').post(
    'Asks a channel’s service whether all is well.',
    { role: 'operator', reply: ChannelInfo },
    ({ params }) => desk.check(params.channel),
  ),
  route('/channels/:channel/test').post(
    'Sends a test to one recipient of a channel; without one, to your own, or to its first.',
    { role: 'operator', body: ChannelTestBody, reply: ChannelDelivery, status: 202 },
    ({ params, body, identity }) => desk.test(params.channel, body.recipient, identity.person),
  ),
]

const pairingRoutes = (desk: Desk): Route[] => [
  route('/channels/:channel/pairings').post(
    'Begins to pair you with a channel: a code for ten minutes and one use.',
    { role: 'operator', password: true, reply: ChannelPairingBegun, status: 201 },
    ({ params, identity }) => desk.begin(params.channel, identity.person.id),
  ),
  route('/channel-pairings').get(
    'Your pairings that wait, and who used their codes.',
    { role: 'operator', reply: ChannelPairings },
    ({ identity }) => ({ items: desk.pairings(identity.person.id) }),
  ),
  route('/channel-pairings/:id/confirm').post(
    'Confirms that the number which used the code is yours.',
    { role: 'operator', password: true, body: ChannelPairingBody, reply: ChannelRecipient },
    ({ params, body, identity }) => desk.confirm(params.id, body.user, identity.person.id),
  ),
  route('/channel-pairings/:id').delete('Ends a pairing that waits.', { role: 'operator' }, ({ params, identity }) =>
    desk.cancel(params.id, identity.person.id),
  ),
]

const recipientRoutes = (desk: Desk, stepUp: Pick<StepUp, 'require'>): Route[] => [
  route('/channels/:channel/groups').get(
    'Group chats that JARVIS is in and does not tell.',
    { role: 'owner', reply: ChannelGroups },
    ({ params }) => desk.groups(params.channel),
  ),
  route('/channels/:channel/groups').post(
    'Has a group chat [told](channels.md#groups) from now on, by the service’s number of it. It is never heard.',
    { role: 'owner', password: true, body: ChannelGroupBody, reply: ChannelRecipient, status: 201 },
    ({ params, body, identity }) => desk.tellGroup(params.channel, body.group, identity.person.id),
  ),
  route('/channel-recipients/:id').patch(
    'Changes what a tap of yours may do, and whether names are hidden. The password is asked for where it allows more.',
    { role: 'operator', password: 'sometimes', body: ChannelRecipientBody, reply: ChannelRecipient },
    ({ params, body, identity }) =>
      desk.change(params.id, body, { by: identity.person, raise: () => stepUp.require(identity) }),
  ),
  route('/channel-recipients/:id').delete(
    'Ends a pairing of yours; an owner ends any.',
    { role: 'operator' },
    ({ params, identity }) => desk.remove(params.id, identity.person),
  ),
]

const messageRoutes = (desk: Desk, limit: (key: string, most: number) => void): Route[] => [
  route('/channel-deliveries').get(
    'Messages and what became of them, newest first.',
    { role: 'operator', query: ChannelDeliveriesQuery, reply: ChannelDeliveries },
    ({ query }) => ({ items: desk.deliveries(query) }),
  ),
  route('/channel-deliveries/:id/again').post(
    'Sends a message again that was not sent.',
    { role: 'operator', reply: ChannelDelivery, status: 202 },
    ({ params }) => desk.again(params.id),
  ),
  route('/channel-taps/:channel').post(
    'Denies a card as a button of a message was pressed on a phone: by its token, once. It approves nothing ([ntfy](channels.md#denying-from-ntfy)).',
    { role: 'public', body: ChannelTapBody, reply: ChannelTapReply },
    async ({ params, body }) => {
      limit(params.channel, mostTaps)
      return { answer: await desk.tapped(params.channel, body.token) }
    },
  ),
  route('/channel-rules').get(
    'The rules of messages: who is told what, and when.',
    { role: 'operator', reply: ChannelRules },
    () => desk.rules(),
  ),
  route('/channel-rules').put(
    'Replaces the rules: quiet hours, routes and escalation.',
    { role: 'owner', password: true, body: ChannelRules, reply: ChannelRules },
    ({ body, identity }) => desk.setRules(body, identity.person),
  ),
]
